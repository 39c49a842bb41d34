"""The thread pool in LLVM IR text, over the threads of the C library.

A launch is announced by one word, the *gate*: its high half is the launch's number, bit 31 says that
the launch is over, and the bits below count the workers inside. A worker enters by adding one, and only
while the gate is open; the caller works too, closes the gate when no block is left, and waits for
the workers inside alone. So a worker that wakes late is never waited for.
"""

from __future__ import annotations

import re
import time

# Byte offsets in the state of a pool; what different threads write lies on different cache lines. The
# C library's mutexes and conditions take at most 64 bytes on the systems that we know.
GATE = 0
NEXT_BLOCK = 128
JOB = 256  # where the job of the launch lies; read by workers that are inside
STOP = 384
SLEEPERS = 392
CALLER_WAITS = 400
WORKERS = 408
LAUNCH_MUTEX = 512
MUTEX = 640
WORK_CONDITION = 768
DONE_CONDITION = 896
HANDLES = 1024

# A job, in the notation of `struct`: the kernel's address, the grid's x y z, the number of blocks, and how
# many a thread claims at a time. The kernel's packed arguments follow.
JOB_FORMAT = "Qiii4xqq"

CLOSED = 1 << 31
INSIDE = CLOSED - 1
SPIN_NANOSECONDS = 50_000

_INLINE = """
%job = type { ptr, i32, i32, i32, i32, i64, i64 }

; Run the blocks of a job from %first to before %last.
define internal void @blocks(ptr %job, i64 %first, i64 %last) alwaysinline nounwind {
  %function = load ptr, ptr %job
  %at_x = getelementptr %job, ptr %job, i64 0, i32 1
  %x = load i32, ptr %at_x
  %at_y = getelementptr %job, ptr %job, i64 0, i32 2
  %y = load i32, ptr %at_y
  %at_z = getelementptr %job, ptr %job, i64 0, i32 3
  %z = load i32, ptr %at_z
  %arguments = getelementptr %job, ptr %job, i64 1
  call void %function(ptr %arguments, i32 %x, i32 %y, i32 %z, i64 %first, i64 %last)
  ret void
}

define void @headwater_inline(ptr %job) nounwind {
  %at_blocks = getelementptr %job, ptr %job, i64 0, i32 5
  %blocks = load i64, ptr %at_blocks
  %mode = call i64 @set_mode(i64 MODE_DEFAULT)
  call void @blocks(ptr %job, i64 0, i64 %blocks)
  %ours = call i64 @set_mode(i64 %mode)
  ret void
}
"""

# Another library may have left "denormals are zero" on in one thread. Blocks run under the default
# mode on every thread, so that results do not depend on who ran them.
_MODE_X86 = """
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
declare void @llvm.x86.sse2.pause()

define internal i64 @set_mode(i64 %mode) nounwind {
  %old = alloca i32
  %new = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %old)
  %value = trunc i64 %mode to i32
  store i32 %value, ptr %new
  call void @llvm.x86.sse.ldmxcsr(ptr %new)
  %before = load i32, ptr %old
  %result = zext i32 %before to i64
  ret i64 %result
}

define internal void @pause() alwaysinline nounwind {
  call void @llvm.x86.sse2.pause()
  ret void
}
"""

_MODE_ARM = """
declare i64 @llvm.aarch64.get.fpcr()
declare void @llvm.aarch64.set.fpcr(i64)
declare void @llvm.aarch64.hint(i32)

define internal i64 @set_mode(i64 %mode) nounwind {
  %old = call i64 @llvm.aarch64.get.fpcr()
  call void @llvm.aarch64.set.fpcr(i64 %mode)
  ret i64 %old
}

define internal void @pause() alwaysinline nounwind {
  call void @llvm.aarch64.hint(i32 1)
  ret void
}
"""

_MODE_OTHER = """
define internal i64 @set_mode(i64 %mode) nounwind {
  ret i64 0
}

define internal void @pause() alwaysinline nounwind {
  ret void
}
"""

_THREADS = """
declare i32 @clock_gettime(i32, ptr)
declare i32 @pthread_attr_init(ptr)
declare i32 @pthread_attr_setstacksize(ptr, i64)
declare i32 @pthread_attr_destroy(ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(ptr, ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @pthread_cond_broadcast(ptr)

define internal i64 @nanoseconds() nounwind {
  %time = alloca [2 x i64]
  %status = call i32 @clock_gettime(i32 CLOCK, ptr %time)
  %seconds = load i64, ptr %time
  %at_rest = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %at_rest
  %whole = mul i64 %seconds, 1000000000
  %result = add i64 %whole, %rest
  ret i64 %result
}

; Run chunks of blocks until none is left.
define internal void @work(ptr %pool) nounwind {
entry:
  %next = getelementptr i8, ptr %pool, i64 NEXT_BLOCK
  %at_job = getelementptr i8, ptr %pool, i64 JOB
  %job = load ptr, ptr %at_job
  %at_blocks = getelementptr %job, ptr %job, i64 0, i32 5
  %blocks = load i64, ptr %at_blocks
  %at_chunk = getelementptr %job, ptr %job, i64 0, i32 6
  %chunk = load i64, ptr %at_chunk
  br label %claim
claim:
  %first = atomicrmw add ptr %next, i64 %chunk monotonic
  %left = icmp slt i64 %first, %blocks
  br i1 %left, label %run, label %done
run:
  %end = add i64 %first, %chunk
  %over = icmp sgt i64 %end, %blocks
  %last = select i1 %over, i64 %blocks, i64 %end
  call void @blocks(ptr %job, i64 %first, i64 %last)
  br label %claim
done:
  ret void
}

define internal ptr @worker(ptr %pool) nounwind {
entry:
  %gate = getelementptr i8, ptr %pool, i64 GATE
  %stop = getelementptr i8, ptr %pool, i64 STOP
  %sleepers = getelementptr i8, ptr %pool, i64 SLEEPERS
  %caller_waits = getelementptr i8, ptr %pool, i64 CALLER_WAITS
  %mutex = getelementptr i8, ptr %pool, i64 MUTEX
  %work_condition = getelementptr i8, ptr %pool, i64 WORK_CONDITION
  %done_condition = getelementptr i8, ptr %pool, i64 DONE_CONDITION
  %mode = call i64 @set_mode(i64 MODE_DEFAULT)
  br label %watch

watch:  ; for a launch after the one numbered %seen, or one that is still open
  %seen = phi i64 [ 0, %entry ], [ %seen, %awake ], [ %number, %missed ], [ %number, %leave ], [ %number, %told ]
  %since = call i64 @nanoseconds()
  br label %spin
spin:
  %turn = phi i64 [ 0, %watch ], [ %turn_after, %idle ], [ %turn_after, %tired ], [ 0, %enter ]
  %word = load atomic i64, ptr %gate seq_cst, align 8
  %number = lshr i64 %word, 32
  %known = icmp eq i64 %number, %seen
  br i1 %known, label %nothing, label %found
nothing:
  %stop_now = load atomic i64, ptr %stop seq_cst, align 8
  %stopping = icmp ne i64 %stop_now, 0
  br i1 %stopping, label %exit, label %idle
idle:
  call void @pause()
  %turn_after = add i64 %turn, 1
  %some = and i64 %turn_after, 15
  %look = icmp eq i64 %some, 0
  br i1 %look, label %tired, label %spin
tired:
  %now = call i64 @nanoseconds()
  %waited = sub i64 %now, %since
  %long = icmp sgt i64 %waited, SPIN_NANOSECONDS
  br i1 %long, label %sleep, label %spin

sleep:
  %locked = call i32 @pthread_mutex_lock(ptr %mutex)
  %more = atomicrmw add ptr %sleepers, i64 1 seq_cst
  br label %check
check:
  %word_asleep = load atomic i64, ptr %gate seq_cst, align 8
  %number_asleep = lshr i64 %word_asleep, 32
  %changed = icmp ne i64 %number_asleep, %seen
  %stop_asleep = load atomic i64, ptr %stop seq_cst, align 8
  %stopping_asleep = icmp ne i64 %stop_asleep, 0
  %rise = or i1 %changed, %stopping_asleep
  br i1 %rise, label %awake, label %wait
wait:
  %woken = call i32 @pthread_cond_wait(ptr %work_condition, ptr %mutex)
  br label %check
awake:
  %fewer = atomicrmw sub ptr %sleepers, i64 1 seq_cst
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %watch

found:
  %closed_bit = and i64 %word, CLOSED
  %closed = icmp ne i64 %closed_bit, 0
  br i1 %closed, label %missed, label %enter
missed:
  br label %watch
enter:
  %word_inside = add i64 %word, 1
  %swap = cmpxchg ptr %gate, i64 %word, i64 %word_inside seq_cst seq_cst
  %inside = extractvalue { i64, i1 } %swap, 1
  br i1 %inside, label %take, label %spin
take:
  call void @work(ptr %pool)
  %word_before = atomicrmw sub ptr %gate, i64 1 seq_cst
  %state = and i64 %word_before, 4294967295
  %last_out = icmp eq i64 %state, CLOSED_WITH_ONE
  br i1 %last_out, label %tell, label %leave
tell:
  %waits = load atomic i64, ptr %caller_waits seq_cst, align 8
  %asleep = icmp ne i64 %waits, 0
  br i1 %asleep, label %signal, label %leave
leave:
  br label %watch
signal:
  %locked_done = call i32 @pthread_mutex_lock(ptr %mutex)
  %signalled = call i32 @pthread_cond_signal(ptr %done_condition)
  %unlocked_done = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %told
told:
  br label %watch

exit:
  ret ptr null
}

define internal void @wake(ptr %pool, i64 %wanted) nounwind {
entry:
  %sleepers = getelementptr i8, ptr %pool, i64 SLEEPERS
  %mutex = getelementptr i8, ptr %pool, i64 MUTEX
  %condition = getelementptr i8, ptr %pool, i64 WORK_CONDITION
  %early = load atomic i64, ptr %sleepers seq_cst, align 8
  %any = icmp ne i64 %early, 0
  br i1 %any, label %lock, label %done
lock:
  %locked = call i32 @pthread_mutex_lock(ptr %mutex)
  %count = load atomic i64, ptr %sleepers seq_cst, align 8
  %all = icmp sge i64 %wanted, %count
  br i1 %all, label %everybody, label %some
everybody:
  %told_all = call i32 @pthread_cond_broadcast(ptr %condition)
  br label %unlock
some:
  %turn = phi i64 [ 0, %lock ], [ %after, %some ]
  %told_one = call i32 @pthread_cond_signal(ptr %condition)
  %after = add i64 %turn, 1
  %enough = icmp sge i64 %after, %wanted
  br i1 %enough, label %unlock, label %some
unlock:
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %done
done:
  ret void
}

; Close the gate, and return when no worker is inside.
define internal void @finish(ptr %pool) nounwind {
entry:
  %gate = getelementptr i8, ptr %pool, i64 GATE
  %caller_waits = getelementptr i8, ptr %pool, i64 CALLER_WAITS
  %mutex = getelementptr i8, ptr %pool, i64 MUTEX
  %condition = getelementptr i8, ptr %pool, i64 DONE_CONDITION
  %open = atomicrmw or ptr %gate, i64 CLOSED seq_cst
  %since = call i64 @nanoseconds()
  br label %spin
spin:
  %turn = phi i64 [ 0, %entry ], [ %after, %idle ], [ %after, %tired ]
  %word = load atomic i64, ptr %gate seq_cst, align 8
  %inside = and i64 %word, INSIDE
  %empty = icmp eq i64 %inside, 0
  br i1 %empty, label %done, label %idle
idle:
  call void @pause()
  %after = add i64 %turn, 1
  %some = and i64 %after, 15
  %look = icmp eq i64 %some, 0
  br i1 %look, label %tired, label %spin
tired:
  %now = call i64 @nanoseconds()
  %waited = sub i64 %now, %since
  %long = icmp sgt i64 %waited, SPIN_NANOSECONDS
  br i1 %long, label %sleep, label %spin
sleep:
  %locked = call i32 @pthread_mutex_lock(ptr %mutex)
  store atomic i64 1, ptr %caller_waits seq_cst, align 8
  br label %check
check:
  %word_asleep = load atomic i64, ptr %gate seq_cst, align 8
  %inside_asleep = and i64 %word_asleep, INSIDE
  %empty_asleep = icmp eq i64 %inside_asleep, 0
  br i1 %empty_asleep, label %awake, label %wait
wait:
  %woken = call i32 @pthread_cond_wait(ptr %condition, ptr %mutex)
  br label %check
awake:
  store atomic i64 0, ptr %caller_waits seq_cst, align 8
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %done
done:
  ret void
}

define void @headwater_run(ptr %pool, ptr %job) nounwind {
entry:
  %mutex = getelementptr i8, ptr %pool, i64 LAUNCH_MUTEX
  %locked = call i32 @pthread_mutex_lock(ptr %mutex)
  %at_workers = getelementptr i8, ptr %pool, i64 WORKERS
  %workers = load i64, ptr %at_workers
  %alone = icmp eq i64 %workers, 0
  br i1 %alone, label %inline, label %announce
inline:  ; the pool was closed
  %unlocked_early = call i32 @pthread_mutex_unlock(ptr %mutex)
  call void @headwater_inline(ptr %job)
  br label %done

announce:
  %mode = call i64 @set_mode(i64 MODE_DEFAULT)
  %next = getelementptr i8, ptr %pool, i64 NEXT_BLOCK
  store atomic i64 0, ptr %next monotonic, align 8
  %at_job = getelementptr i8, ptr %pool, i64 JOB
  store ptr %job, ptr %at_job
  %at_blocks = getelementptr %job, ptr %job, i64 0, i32 5
  %blocks = load i64, ptr %at_blocks
  %at_chunk = getelementptr %job, ptr %job, i64 0, i32 6
  %chunk = load i64, ptr %at_chunk
  %gate = getelementptr i8, ptr %pool, i64 GATE
  %word = load atomic i64, ptr %gate seq_cst, align 8
  %number = lshr i64 %word, 32
  %number_next = add i64 %number, 1
  %word_open = shl i64 %number_next, 32
  store atomic i64 %word_open, ptr %gate seq_cst, align 8
  %rest = sub i64 %blocks, 1
  %wanted = sdiv i64 %rest, %chunk
  call void @wake(ptr %pool, i64 %wanted)
  call void @work(ptr %pool)
  call void @finish(ptr %pool)
  %ours = call i64 @set_mode(i64 %mode)
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %done
done:
  ret void
}

; Start workers in a zeroed state; the result is 0 or the error number of the thread that failed.
define i32 @headwater_start(ptr %pool, i64 %count, i64 %stack) nounwind {
entry:
  %attributes = alloca [128 x i8], align 16
  %gate = getelementptr i8, ptr %pool, i64 GATE
  store atomic i64 CLOSED, ptr %gate seq_cst, align 8
  %launch_mutex = getelementptr i8, ptr %pool, i64 LAUNCH_MUTEX
  %made_launch = call i32 @pthread_mutex_init(ptr %launch_mutex, ptr null)
  %mutex = getelementptr i8, ptr %pool, i64 MUTEX
  %made_mutex = call i32 @pthread_mutex_init(ptr %mutex, ptr null)
  %work_condition = getelementptr i8, ptr %pool, i64 WORK_CONDITION
  %made_work = call i32 @pthread_cond_init(ptr %work_condition, ptr null)
  %done_condition = getelementptr i8, ptr %pool, i64 DONE_CONDITION
  %made_done = call i32 @pthread_cond_init(ptr %done_condition, ptr null)
  %made_attributes = call i32 @pthread_attr_init(ptr %attributes)
  %sized = call i32 @pthread_attr_setstacksize(ptr %attributes, i64 %stack)
  %handles = getelementptr i8, ptr %pool, i64 HANDLES
  br label %more
more:
  %started = phi i64 [ 0, %entry ], [ %after, %good ]
  %enough = icmp sge i64 %started, %count
  br i1 %enough, label %done, label %create
create:
  %handle = getelementptr ptr, ptr %handles, i64 %started
  %status = call i32 @pthread_create(ptr %handle, ptr %attributes, ptr @worker, ptr %pool)
  %ok = icmp eq i32 %status, 0
  br i1 %ok, label %good, label %done
good:
  %after = add i64 %started, 1
  br label %more
done:
  %result = phi i32 [ 0, %more ], [ %status, %create ]
  %at_workers = getelementptr i8, ptr %pool, i64 WORKERS
  store i64 %started, ptr %at_workers
  %gone = call i32 @pthread_attr_destroy(ptr %attributes)
  ret i32 %result
}

; End the workers, after the launch that runs. Later launches run on their caller alone.
define void @headwater_stop(ptr %pool) nounwind {
entry:
  %launch_mutex = getelementptr i8, ptr %pool, i64 LAUNCH_MUTEX
  %held = call i32 @pthread_mutex_lock(ptr %launch_mutex)
  %mutex = getelementptr i8, ptr %pool, i64 MUTEX
  %condition = getelementptr i8, ptr %pool, i64 WORK_CONDITION
  %locked = call i32 @pthread_mutex_lock(ptr %mutex)
  %stop = getelementptr i8, ptr %pool, i64 STOP
  store atomic i64 1, ptr %stop seq_cst, align 8
  %woken = call i32 @pthread_cond_broadcast(ptr %condition)
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex)
  %at_workers = getelementptr i8, ptr %pool, i64 WORKERS
  %workers = load i64, ptr %at_workers
  %handles = getelementptr i8, ptr %pool, i64 HANDLES
  br label %more
more:
  %joined = phi i64 [ 0, %entry ], [ %after, %join ]
  %all = icmp sge i64 %joined, %workers
  br i1 %all, label %done, label %join
join:
  %at_handle = getelementptr ptr, ptr %handles, i64 %joined
  %handle = load ptr, ptr %at_handle
  %ended = call i32 @pthread_join(ptr %handle, ptr null)
  %after = add i64 %joined, 1
  br label %more
done:
  store i64 0, ptr %at_workers
  %let_go = call i32 @pthread_mutex_unlock(ptr %launch_mutex)
  ret void
}
"""


def pool_text(machine: str, *, threads: bool) -> str:
    """The pool for a machine ('x86_64', 'aarch64', …); without threads only what runs inline."""
    mode, default = _modes(machine)
    text = mode + _INLINE + (_THREADS if threads else "")
    return _fill(text, {**_OFFSETS, "MODE_DEFAULT": default})


def _modes(machine: str) -> tuple[str, int]:
    """The text that sets the rounding mode and pauses, and the value of the default mode."""
    if machine in ("x86_64", "i386", "i686"):
        return _MODE_X86, 0x1F80
    if machine.startswith(("aarch64", "arm64")):
        return _MODE_ARM, 0
    return _MODE_OTHER, 0


_OFFSETS = {
    "GATE": GATE,
    "NEXT_BLOCK": NEXT_BLOCK,
    "JOB": JOB,
    "STOP": STOP,
    "SLEEPERS": SLEEPERS,
    "CALLER_WAITS": CALLER_WAITS,
    "WORKERS": WORKERS,
    "LAUNCH_MUTEX": LAUNCH_MUTEX,
    "MUTEX": MUTEX,
    "WORK_CONDITION": WORK_CONDITION,
    "DONE_CONDITION": DONE_CONDITION,
    "HANDLES": HANDLES,
    "CLOSED_WITH_ONE": CLOSED + 1,
    "CLOSED": CLOSED,
    "INSIDE": INSIDE,
    "SPIN_NANOSECONDS": SPIN_NANOSECONDS,
    "CLOCK": getattr(time, "CLOCK_MONOTONIC", 0),
}


def _fill(text: str, numbers: dict[str, int]) -> str:
    for name in sorted(numbers, key=len, reverse=True):
        text = re.sub(rf"\b{name}\b", str(numbers[name]), text)
    return text
