/* The life of threads against one that ends the runtime and one that forks the process: core/mutator/state.cpp,
 * world.cpp and fork.cpp, core/collector/collecting.cpp, core/api/lifecycle.cpp and fork.cpp. Explored in full by
 * test_the_life_of_threads_is_proved.py, which also builds each FAULT and expects it to be caught.
 *
 *   model                 code
 *   at[t], stopper        a thread's word, World::stop: one step each here, stop_the_world.pml has them in full
 *   held[l]               a ByteLock; l 0 and 1 are those of a section, STATES is states_held
 *   waits, token          the parking lot; unnoticed: unnoticed_
 *   woken, handed, first_of_two  woken_for, handed_over, first_of_two of PyThreadState
 *   collecting, reserved  Collecting; in_code: InCode
 *   flight, slices        the collection in flight and what it has left to do; engine: collector::engine
 *   only                  in the child of a fork: who is there
 *
 * A thread of policy gil is one that finds nobody else inside: what that does is among what is explored. What the
 * collector's own thread does at an end and over a fork is not.
 */
#ifndef WORKERS
#define WORKERS 1
#endif
#ifndef ENDERS
#define ENDERS 0
#endif
#ifndef FORKERS
#define FORKERS 0
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define N (WORKERS + ENDERS + FORKERS)
#define NOBODY N
#define LOCKS 3
#define STATES 2

#define OUTSIDE 0       /* detached, or suspended in a stop */
#define INSIDE 1

#define WOKEN 1
#define HANDED_OVER 2

byte at[N];
byte stopper = NOBODY;
byte only = NOBODY;
bool record[N];             /* its memory is there */
bool equipped[N];
bool done[N];               /* has done all that it wanted */
bool rests[N];              /* never comes back */

bool held[LOCKS];
byte waits[N];              /* parked for this lock less one */
byte token[N];
byte unnoticed;
byte woken[N];              /* by who unlocked this lock less one, */
bool handed[N];             /* and it is its own */
bool first_of_two[N];       /* holds lock 0 while it waits for lock 1 */

byte collecting = NOBODY;
bool reserved;
bool in_code;
bool flight;
byte slices;
bool engine = true;
bool busy[N];               /* in the middle of a slice */

bool finalizing;
bool closed;
byte closer = NOBODY;
bool ended;

#if N == 1
#define OTHERS_OUTSIDE(t) true
#elif N == 2
#define OTHERS_OUTSIDE(t) (at[1 - t] == OUTSIDE)
#else
#define OTHERS_OUTSIDE(t) (at[(t + 1) % N] == OUTSIDE && at[(t + 2) % N] == OUTSIDE)
#endif

#define IS_THERE (only == NOBODY || only == _pid - 1)
#define IS_CLOSED(t) (closed && closer != t)

/* ---- Locks. */

inline unlock(l) {
    atomic {
        assert(held[l]);
        if
        :: waits[0] == l + 1 -> i = 0
#if N > 1
        :: waits[1] == l + 1 -> i = 1
#endif
#if N > 2
        :: waits[2] == l + 1 -> i = 2
#endif
        :: else -> i = NOBODY
        fi;
        if
        :: i == NOBODY -> held[l] = false
        :: i != NOBODY -> waits[i] = 0; token[i] = WOKEN; held[l] = false
        :: i != NOBODY -> waits[i] = 0; token[i] = HANDED_OVER; unnoticed++
        fi;
        i = 0
    }
}

/* What a wait for a lock comes to: `got`, or somebody has the lock and it is to be tried again. */
inline park(t, l) {
    got = false;
    if
    :: atomic { held[l] -> waits[t] = l + 1 }
       if
       :: atomic { token[t] == HANDED_OVER -> token[t] = 0 }
          atomic { woken[t] = l + 1; handed[t] = true; unnoticed--; got = true }
       :: atomic { token[t] == WOKEN -> token[t] = 0; woken[t] = l + 1; handed[t] = false }
       fi
    :: !held[l]
    fi
}

inline lock(t, l) {
    do
    :: atomic { !held[l] -> held[l] = true; break }
    :: held[l] ->
       at[t] = OUTSIDE;
       park(t, l);
       attach(t);
       woken[t] = 0;
       if
       :: atomic { got -> got = false; break }
       :: else
       fi
    od
}

/* The same for a thread that is not attached. */
inline lock_outside(t, l) {
    do
    :: atomic { !held[l] -> held[l] = true; break }
    :: held[l] ->
       park(t, l);
       woken[t] = 0;
       if
       :: atomic { got -> got = false; break }
       :: else
       fi
    od
}

/* For who was woken and does not want the lock any more: another who waits for it tries instead. */
inline pass_on(l) {
    atomic {
        if
        :: waits[0] == l + 1 -> waits[0] = 0; token[0] = WOKEN
#if N > 1
        :: waits[1] == l + 1 -> waits[1] = 0; token[1] = WOKEN
#endif
#if N > 2
        :: waits[2] == l + 1 -> waits[2] = 0; token[2] = WOKEN
#endif
        :: else
        fi
    }
}

inline let_go_of_locks(t) {
    which = woken[t];
    woken[t] = 0;
    if
    :: which != 0 && handed[t] -> unlock(which - 1)
#ifndef FAULT_LOSES_A_WAKE_UP
    :: which != 0 && !handed[t] -> pass_on(which - 1)
#endif
    :: else
    fi;
    which = 0;
    if
    :: first_of_two[t] -> first_of_two[t] = false; unlock(0)
    :: else
    fi
}

/* ---- Coming in and going out. */

/* mutator::attach; wait_for_ever. */
inline attach(t) {
    atomic { stopper == NOBODY -> at[t] = INSIDE }
    look(t)
}

inline look(t) {
    assert(record[t]);
    if
    :: IS_CLOSED(t) -> at[t] = OUTSIDE; goto rest
    :: else -> assert(equipped[t])
    fi
}

inline rest_for_ever(t) {
#ifndef FAULT_RESTS_WITH_ITS_LOCKS
#ifndef FAULT_LETS_GO_BESIDE_A_FORK
    if
    :: atomic { woken[t] == STATES + 1 && handed[t] -> woken[t] = 0 }
    :: else ->
       /* Handed another one, or none: it has that while it waits. */
       do
       :: atomic { !held[STATES] -> held[STATES] = true; break }
       od
    fi;
#endif
    let_go_of_locks(t);
#ifndef FAULT_LETS_GO_BESIDE_A_FORK
    unlock(STATES);
#endif
#endif
    rests[t] = true
}

inline safepoint(t) {
    if
    :: stopper == NOBODY
    :: stopper != NOBODY -> at[t] = OUTSIDE; attach(t)
    fi
}

/* mutator::Stopped. */
inline stop(t) {
    if
    :: atomic { stopper == NOBODY -> stopper = t }
    :: stopper != NOBODY ->
       at[t] = OUTSIDE;
       atomic { stopper == NOBODY -> stopper = t; at[t] = INSIDE }
    fi;
    atomic {
        OTHERS_OUTSIDE(t) ->
        if
        :: IS_CLOSED(t) -> stopper = NOBODY; at[t] = OUTSIDE; goto rest
        :: else
        fi
    }
}

inline start(t) {
    atomic { assert(stopper == t); stopper = NOBODY }
}

/* ---- Collections. */

inline drive(t) {
    do
    :: slices == 0 -> break
    :: slices > 0 ->
       atomic { assert(engine); assert(flight); busy[t] = true }
       atomic { slices--; busy[t] = false }
       if
       :: skip
       :: WORKERS > 0 && t != 0 && closer != t ->
          /* A finalizer that waits until the first thread is done. */
          in_code = true;
          at[t] = OUTSIDE;
          (done[0] || closed || only != NOBODY);
          attach(t);
          in_code = false
       fi;
       safepoint(t)
    od;
    flight = false
}

inline collect(t) {
    if
    :: atomic { collecting == NOBODY && !reserved -> collecting = t }
       atomic {
           assert(engine);
           if
           :: flight               /* somebody's who is not there */
           :: else -> flight = true; slices = 2
           fi
       }
       drive(t);
       assert(collecting == t);
       collecting = NOBODY
    :: atomic { collecting != NOBODY -> assert(collecting != t) }
       at[t] = OUTSIDE;            /* at its trigger */
#ifdef FAULT_WAITS_FOR_FINALIZERS
       collecting == NOBODY;
#else
       (collecting == NOBODY || in_code);
#endif
       attach(t)
    :: reserved && collecting == NOBODY
    fi
}

/* ---- What threads do. */

/* Both locks of a section. */
inline section(t) {
    lock(t, 0);
    first_of_two[t] = true;
    lock(t, 1);
    first_of_two[t] = false;
    unlock(1);
    unlock(0)
}

/* The thread exits; another one begins with its number. */
inline exit_and_begin(t) {
    at[t] = OUTSIDE;
    lock_outside(t, STATES);
    atomic { assert(record[t]); record[t] = false; equipped[t] = false }
    unlock(STATES);
    lock_outside(t, STATES);
    if
    :: closed -> unlock(STATES); goto rest      /* and is another run's affair */
    :: else -> atomic { record[t] = true; equipped[t] = true }
    fi;
    unlock(STATES);
    attach(t)
}

inline act(t) {
    if
    :: section(t)
#ifndef ONLY_SECTIONS
    :: collect(t)
    :: exit_and_begin(t)
    :: at[t] = OUTSIDE; attach(t)
#endif
    fi
}

/* PyOS_BeforeFork and what follows. */
inline fork(t) {
#ifndef FAULT_FORK_LETS_STATES_GO
    lock(t, STATES);
#endif
    assert(!IS_CLOSED(t));
#ifndef FAULT_FORK_STOPS_NOBODY
    stop(t);
#endif
#ifndef FAULT_FORK_DOES_NOT_WAIT_FOR_THE_NOTICE
    unnoticed == 0;
#endif
    if
    :: skip                                     /* the parent */
    :: atomic { only == NOBODY -> only = t }    /* the child */
       atomic {
           i = 0;
           do
           :: i == N -> break
           :: else -> waits[i] = 0; i++
           od
       }
       unnoticed = 0;
#ifndef FAULT_CHILD_KEEPS_LOCKS
       j = 0;
       do
       :: j == N -> break
       :: else ->
          if
          :: j != t && record[j] -> let_go_of_locks(j)
          :: else
          fi;
          j++
       od;
       j = 0;
#endif
#ifndef FAULT_CHILD_KEEPS_THE_COLLECTION
       if
       :: collecting != t -> collecting = NOBODY; reserved = false; in_code = false
       :: else
       fi;
#endif
#ifndef FAULT_CHILD_KEEPS_THE_END
       if
       :: closer != t -> finalizing = false
       :: else
       fi
#endif
    fi;
#ifndef FAULT_FORK_STOPS_NOBODY
    start(t);
#endif
#ifndef FAULT_FORK_LETS_STATES_GO
    unlock(STATES)
#endif
}

/* Py_FinalizeEx. */
inline end(t) {
    if
    :: atomic { finalizing -> at[t] = OUTSIDE }
       (closed);
       attach(t);                               /* never returns */
       assert(false)
    :: atomic { !finalizing -> finalizing = true }
    fi;
    reserved = true;
    if
    :: collecting == NOBODY
    :: collecting != NOBODY ->                  /* for a while */
       at[t] = OUTSIDE;
       attach(t)
    fi;
#ifndef FAULT_NOBODY_IS_CLOSED_OUT
#ifndef FAULT_CLOSES_BESIDE_A_FORK
    lock(t, STATES);
#endif
    stop(t);
    atomic { closer = t; closed = true }
    start(t);
#ifndef FAULT_CLOSES_BESIDE_A_FORK
    unlock(STATES);
#endif
#endif
    /* The collection of who never comes back is taken over. */
    atomic {
        i = 0;
        do
        :: i == N -> break
        :: else -> assert(!busy[i]); i++
        od;
        i = 0
    }
#ifdef FAULT_END_IS_NO_HEIR
    if
    :: collecting == NOBODY && flight -> drive(t)
    :: else
    fi;
#else
    atomic { collecting = t; reserved = false; in_code = false }
    if
    :: flight -> drive(t)
    :: else
    fi;
#endif
    collecting = NOBODY;
    /* Finalizers of the program's. */
    section(t);
#ifdef ENDER_FORKS
    fork(t);
    section(t);
#endif
    collect(t);
    lock(t, STATES);
    stop(t);
    atomic {
        assert(!flight);
        engine = false;
        i = 0;
        do
        :: i == N -> break
        :: else ->
           assert(!busy[i]);
           if
           :: i != t ->
              equipped[i] = false;
#ifdef FAULT_RECORDS_OF_OTHERS_GO
              record[i] = false
#endif
           :: else
           fi;
           i++
        od;
        i = 0;
        ended = true
    }
    start(t);
    unlock(STATES);
    at[t] = OUTSIDE;
    atomic { equipped[t] = false; record[t] = false }
}

#if WORKERS
proctype Worker(byte t) provided (IS_THERE) {
    byte i, round, which;
    bool got;
    attach(t);
    do
    :: round == ROUNDS -> break
    :: round < ROUNDS -> act(t); round++
    od;
    at[t] = OUTSIDE;
    done[t] = true;
    goto finished;
rest:
    rest_for_ever(t);
finished:
    skip
}

#endif

#if ENDERS
proctype Ender(byte t) provided (IS_THERE) {
    byte i, j, which;
    bool got;
    attach(t);
    end(t);
    done[t] = true;
    goto finished;
rest:
    rest_for_ever(t);
finished:
    skip
}

#endif

#if FORKERS
/* In the child it does what a program may, and ends the runtime. */
proctype Forker(byte t) provided (IS_THERE) {
    byte i, j, which;
    bool got;
    attach(t);
    if
    :: collect(t)
    :: skip
    fi;
    fork(t);
    if
    :: only == t ->
       collect(t);
       end(t)                       /* with locks, stops and another collection */
    :: else -> at[t] = OUTSIDE
    fi;
    done[t] = true;
    goto finished;
rest:
    rest_for_ever(t);
finished:
    skip
}

#endif

/* Nobody waits for ever but who may. */
proctype Watch() {
    byte t;
    timeout;
    do
    :: t == N -> break
    :: else ->
       if
       :: only != NOBODY && only != t
       :: else -> assert(done[t] || (rests[t] && closed && closer != t))
       fi;
       t++
    od
}

init {
    byte t;
    atomic {
        do
        :: t == N -> break
        :: else -> record[t] = true; equipped[t] = true; t++
        od;
        t = 0;
#if WORKERS
        do
        :: t == WORKERS -> break
        :: else -> run Worker(t); t++
        od;
#endif
#if ENDERS
        do
        :: t == WORKERS + ENDERS -> break
        :: else -> run Ender(t); t++
        od;
#endif
#if FORKERS
        do
        :: t == N -> break
        :: else -> run Forker(t); t++
        od;
#endif
        run Watch()
    }
}
