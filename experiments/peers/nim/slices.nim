## The workload `slices` in Nim; ../row.py says how it is started and what it prints.

import std/[monotimes, os, strutils]

type
  Node = ref object
    next: Node
    other: Node  # always nil

  Work = object
    rings: seq[Node]
    shuffled: bool
    state: uint64  # of the generator
    turn: int

proc malloc(size: csize_t): pointer {.importc, header: "<stdlib.h>".}
proc free(memory: pointer) {.importc, header: "<stdlib.h>".}

proc draw(work: var Work; count: uint64): int =
  work.state = work.state xor (work.state shr 12)
  work.state = work.state xor (work.state shl 25)
  work.state = work.state xor (work.state shr 27)
  int((work.state * 2685821657736338717'u64 shr 33) mod count)

proc place(work: var Work): int =
  if work.shuffled:
    return work.draw(uint64(work.rings.len))
  result = work.turn
  work.turn = if result + 1 == work.rings.len: 0 else: result + 1

proc ring(): Node =
  let last = Node()
  result = Node(next: Node(next: Node(next: last)))
  last.next = result

proc build(work: var Work) =
  let count = work.rings.len
  if not work.shuffled:
    for i in 0 ..< count:
      work.rings[i] = ring()
    return
  let order = cast[ptr UncheckedArray[uint32]](malloc(csize_t(4 * count)))
  for i in 0 ..< count:
    order[i] = uint32(i)
  for i in countdown(count - 1, 1):
    swap(order[i], order[work.draw(uint64(i + 1))])
  for i in 0 ..< count:
    work.rings[int(order[i])] = ring()
  free(order)

proc operate(work: var Work; operations: int) =
  for _ in 1 .. operations:
    work.rings[work.place()] = ring()

proc places(work: var Work): uint64 =
  ## Of the places to come, which stay to come.
  let before = work.state
  result = 14695981039346656037'u64
  for _ in 1 .. 1000:
    result = (result xor uint64(work.place())) * 1099511628211'u64
  work.state = before
  work.turn = 0

proc whole(work: Work): bool =
  for first in work.rings:
    let last = first.next.next.next
    if first.next == first or first.next.next == first or last == first or last.next != first:
      return false
  true

proc mark(name: string) =
  echo "mark ", name
  flushFile(stdout)
  discard stdin.readLine()

proc main() =
  let slices = parseInt(paramStr(2))
  let warmup = parseInt(paramStr(3))
  let operations = parseInt(paramStr(4))
  # Outside the collected heap, and touched.
  let samples = cast[ptr UncheckedArray[int64]](malloc(csize_t(8 * slices)))
  for i in 0 ..< slices:
    samples[i] = 0
  mark "before"
  var work = Work(rings: newSeq[Node](parseInt(paramStr(1))), shuffled: paramStr(6) == "1",
                  state: parseBiggestUInt(paramStr(5)) * 2 + 1)
  work.build()
  let expected = work.places()
  mark "live"
  var begun = 0'i64
  var last = getMonoTime().ticks
  for i in 0 ..< slices:
    if i == warmup:
      mark "begin"
      begun = getMonoTime().ticks
      last = begun
    work.operate(operations)
    let ended = getMonoTime().ticks
    samples[i] = ended - last
    last = ended
  let run = last - begun
  mark "end"
  let heap = getOccupiedMem()
  if not work.whole():
    quit "a ring is broken"
  stdout.writeLine "version Nim ", NimVersion
  stdout.writeLine "places ", expected
  stdout.writeLine "run_ns ", run
  stdout.writeLine "heap ", heap
  for i in 0 ..< slices:
    stdout.writeLine "sample ", samples[i]
  quit 0  # without taking the rings apart

main()
