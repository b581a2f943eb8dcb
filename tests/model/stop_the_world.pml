/* Stopping the world against attaching, detaching, exiting and a second who stops: the protocol of
 * concurrency/thread/world_impl.hpp and world_stop_impl.hpp with each operation on a shared word one
 * step. Explored in full by test_stop_the_world_is_proved.py, which also builds each FAULT and expects it to be caught.
 *
 *   model            code
 *   w[t].state       state_of(word_)                 w[t].asked, .wants    kStop, kWants
 *   stop_lock        stop_lock_                      pending              to_stop_
 *   registry         mutex_ and stopping_            inside[t]            what a stop may not see
 *
 * A sleep in the kernel is a guard here: that no wake-up is lost is the business of Countdown and of the
 * sleeping bit, which tests/systematic explores.
 */
#ifndef STOPPERS
#define STOPPERS 1
#endif
#ifndef WORKERS
#define WORKERS 1
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define N (STOPPERS + WORKERS)

#define DETACHED 0
#define ATTACHED 1
#define SUSPENDED 2
#define EXITED 3

typedef Word { byte state; bool asked; bool wants };
Word w[N];
bool inside[N];
bool registry;      /* the registry's lock */
bool stopping;
bool stop_lock;
byte pending;
byte stopped;       /* threads that have the world stopped */
byte came_in[N];    /* how often the thread came in or to a safepoint: modulo 256 */
bool waited[N];     /* waited in the last stop, when it had come in so often: */
byte came_then[N];

/* The end of a wait in attach: attached by who ended the suspension. */
#ifdef FAULT_LETS_GO_WITHOUT_ATTACHING
#define ATTACH_DONE(t) atomic { w[t].state == DETACHED -> w[t].state = ATTACHED }
#else
#define ATTACH_DONE(t) (w[t].state == ATTACHED)
#endif

/* World::attach: a compare-and-swap, or wanting and waiting. */
inline attach(t) {
    if
#ifdef FAULT_ATTACH_DOES_NOT_LOOK
    :: atomic { w[t].state != EXITED -> w[t].state = ATTACHED }
#else
    :: atomic { w[t].state == DETACHED -> w[t].state = ATTACHED }
    :: atomic { w[t].state == SUSPENDED -> w[t].wants = true };
       ATTACH_DONE(t)
#endif
    fi;
    came_in[t]++
}

/* World::detach: out, or parked for a stop that has asked. */
inline detach(t) {
#ifdef FAULT_DETACH_STORES
    seen = w[t].asked;
    if
    :: seen -> atomic { w[t].state = SUSPENDED }; pending--
    :: else -> atomic { w[t].state = DETACHED; w[t].asked = false }
    fi
#else
    if
    :: atomic { !w[t].asked -> w[t].state = DETACHED }
    :: atomic { w[t].asked -> w[t].state = SUSPENDED }
       pending--
    fi
#endif
}

/* World::safepoint. */
inline safepoint(t) {
    if
    :: !w[t].asked
    :: atomic { w[t].asked -> w[t].state = SUSPENDED; w[t].wants = true }
       pending--;
       ATTACH_DONE(t);
       came_in[t]++
    fi
}

inline work(t) {
    inside[t] = true;
    assert(stopped == 0);           /* inv.stop.alone */
    inside[t] = false
}

/* World::add: born into a stop, the record is part of it. */
inline add(t) {
    atomic { !registry -> registry = true }
    atomic {
        assert(w[t].state == EXITED);
        w[t].wants = false;
#ifdef FAULT_NEWCOMER_IS_NOT_HELD
        w[t].state = DETACHED
#else
        if
        :: stopping -> w[t].state = SUSPENDED; w[t].asked = true
        :: else -> w[t].state = DETACHED; w[t].asked = false
        fi
#endif
    }
    registry = false
}

/* World::remove, by the thread itself: comes in once more, and leaves when nothing is asked. */
inline remove(t) {
    attach(t);
    do
    :: atomic { !registry -> registry = true }
       if
       :: atomic { !w[t].asked -> w[t].state = EXITED }
          registry = false;
          break
       :: w[t].asked -> registry = false
       fi;
       safepoint(t)
    od
}

/* World::stop. Waiting for the lock is outside. */
inline stop_world(self) {
#ifdef FAULT_WAITS_FOR_THE_LOCK_INSIDE
    atomic { !stop_lock -> stop_lock = true }
#else
    if
    :: atomic { !stop_lock -> stop_lock = true }
    :: stop_lock ->
       detach(self);
       atomic { !stop_lock -> stop_lock = true }
       attach(self)
    fi;
#endif
    atomic { !registry -> registry = true }
    stopping = true;
#ifdef FAULT_COUNTS_BEFORE_IT_ASKS
    /* How many run is read first, and they are asked afterwards. */
    running = 0; i = 0;
    do
    :: i == N -> break
    :: else -> if :: i != self && w[i].state == ATTACHED -> running++ :: else fi; i++
    od;
    pending = running;
#else
    pending = N;                    /* an upper bound: who is outside or absent is taken off below */
    running = 0;
#endif
    i = 0;
    do
    :: i == N -> break
    :: i == self -> i++
    :: else ->
       if
       :: atomic { w[i].state == DETACHED -> w[i].state = SUSPENDED; w[i].asked = true }
       :: atomic { w[i].state == ATTACHED -> w[i].asked = true; running++ }
       :: w[i].state == EXITED
       fi;
       i++
    od;
    registry = false;
#ifndef FAULT_COUNTS_BEFORE_IT_ASKS
    atomic { pending = pending - (N - running) }
#endif
    pending == 0;
    atomic {
        stopped++;
        assert(stopped == 1);       /* inv.stop.one-stopper */
        i = 0;
        do
        :: i == N -> break
        :: else ->
           assert(i == self || !inside[i]);                            /* inv.stop.alone */
           assert(i == self || w[i].state == SUSPENDED || w[i].state == EXITED);
           assert(!waited[i] || came_in[i] != came_then[i]);           /* inv.stop.handed-over */
           waited[i] = (i != self && w[i].state == SUSPENDED && w[i].wants);
           came_then[i] = came_in[i];
           i++
        od
    }
}

/* World::start: who waits is attached on its behalf. */
inline start_world(self) {
    stopped--;
    atomic { !registry -> registry = true }
    stopping = false;
    i = 0;
    do
    :: i == N -> break
    :: i == self -> i++
    :: else ->
       atomic {
           if
           :: w[i].state == SUSPENDED ->
              w[i].asked = false;
#ifdef FAULT_LETS_GO_WITHOUT_ATTACHING
              w[i].state = DETACHED;
#else
              w[i].state = (w[i].wants -> ATTACHED : DETACHED);
#endif
              w[i].wants = false
           :: else
           fi
       }
       i++
    od;
    registry = false;
    stop_lock = false
}

proctype Worker(byte t) {
    byte round;
    bool seen;
    do
    :: round == ROUNDS -> break
    :: else ->
       add(t);
       attach(t);
       work(t);
       safepoint(t);
       work(t);
       detach(t);
       remove(t);
       round++
    od
}

proctype Stopper(byte t) {
    byte round, i, running;
    bool seen;
    add(t);
    attach(t);
    do
    :: round == ROUNDS -> break
    :: else ->
       stop_world(t);
       start_world(t);
       work(t);
       safepoint(t);
       round++
    od;
    detach(t);
    remove(t)
}

init {
    byte t;
    atomic {
        do
        :: t == N -> break
        :: else -> w[t].state = EXITED; t++
        od;
        t = 0;
        do
        :: t == STOPPERS -> break
        :: else -> run Stopper(t); t++
        od;
        do
        :: t == N -> break
        :: else -> run Worker(t); t++
        od
    }
    /* Nobody waits for ever: an end state where a process has not ended is an error of its own. */
}
