"""Statistics: functions on lists of numbers."""
