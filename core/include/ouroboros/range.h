/* Ranges of ints. */
#ifndef OURO_RANGE_H
#define OURO_RANGE_H

#include "ouroboros/object.h"

OURO_BEGIN_C

PyAPI_DATA(PyTypeObject) PyRange_Type;
#define PyRange_Check(op) Py_IS_TYPE((op), &PyRange_Type)
/* What iter() of a range is: of one whose ints a long holds, and of any other. */
PyAPI_DATA(PyTypeObject) PyRangeIter_Type;
PyAPI_DATA(PyTypeObject) PyLongRangeIter_Type;

OURO_END_C

#endif
