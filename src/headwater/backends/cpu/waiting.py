"""Finds loops that wait for ever: every thread of the pool that runs blocks waits, so nothing can change any more.

A kernel with loops that wait (`passes.find_waits`) shares a *state* among the threads of a launch, six int64: its
blocks, the threads that may run them, how many calls of the kernel are on their way, how many blocks they have claimed,
the *round*, and the number of the loop that ended the launch. Each call keeps what it does in `own`: trips, whether it
waits, the round it last saw, whether it agreed to it, and its lanes.

A round starts whenever a call begins, ends, waits or goes on. A call that has made many trips with the same lanes
since it saw the round agrees to it. Once all have agreed to one round, none has written anything in it, and no other
will: what they wait for never comes. The high half of the round's word is its number, the low half counts who agreed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headwater import ir
    from headwater.backends.cpu.lanes import LaneEmitter

# Where the number of the loop stands in it: 0 for none, and 1 for the first of the module's loops.
STOPPED = 5

# The LLVM type of what each call keeps.
OWN = "[5 x i64]"


class Waiting:
    """Emits, for the loops of one function that wait, what watches them."""

    def __init__(self, state: str, own: str) -> None:
        self.state = state
        self.own = own
        self.loops: list[ir.While] = []

    def enter(self, node: ir.While) -> int:
        """Before a loop; gives its number, from 1."""
        self.loops.append(node)
        return len(self.loops)

    def trip(self, e: LaneEmitter, number: int) -> None:
        """At the start of each trip: counts those of the same lanes, and ends the function where nobody can go on."""
        lanes = e.w.value(f"zext i32 {e.mask_bits()} to i64") if e.lanes > 1 else "1"
        stop = e.w.value(
            f"call i1 @waits_trip(ptr {self.state}, ptr {self.own}, i64 {lanes}, i64 {number})"
        )
        stopped, on = e.w.new_label("stopped"), e.w.new_label("waits")
        e.w.branch_if(stop, stopped, on)
        e.w.place(stopped)
        e.w.emit("ret void")
        e.w.terminated = True
        e.w.place(on)

    def go_on(self, e: LaneEmitter) -> None:
        """Where a loop is left, or the function's blocks go on."""
        e.w.emit(f"call void @waits_go_on(ptr {self.state}, ptr {self.own})")


def around(state: str, own: str) -> tuple[list[str], list[str]]:
    """What stands in the outer function before and behind the call of the inner one."""
    before = [
        f"  store {OWN} zeroinitializer, ptr {own}, align 8",
        f"  %waits.over = getelementptr i64, ptr {state}, i64 {STOPPED}",
        "  %waits.loop = load atomic i64, ptr %waits.over seq_cst, align 8",
        "  %waits.stopped = icmp ne i64 %waits.loop, 0",
        "  br i1 %waits.stopped, label %waits.end, label %waits.start",
        "waits.start:",
        "  %waits.blocks = sub i64 %last, %first",
        f"  call void @waits_enter(ptr {state}, i64 %waits.blocks)",
    ]
    behind = [f"  call void @waits_leave(ptr {state})", "  br label %waits.end", "waits.end:"]
    return before, behind


FUNCTIONS = """
; Start a round; its number is the result.
define internal i64 @waits_round(ptr %state) nounwind {
entry:
  %word = getelementptr i64, ptr %state, i64 4
  %first = load atomic i64, ptr %word seq_cst, align 8
  br label %try
try:
  %old = phi i64 [ %first, %entry ], [ %found, %try ]
  %number = lshr i64 %old, 32
  %next = add i64 %number, 1
  %new = shl i64 %next, 32
  %swap = cmpxchg ptr %word, i64 %old, i64 %new seq_cst seq_cst
  %found = extractvalue { i64, i1 } %swap, 0
  %done = extractvalue { i64, i1 } %swap, 1
  br i1 %done, label %end, label %try
end:
  %result = lshr i64 %new, 32
  ret i64 %result
}

define internal void @waits_enter(ptr %state, i64 %blocks) nounwind {
  %active = getelementptr i64, ptr %state, i64 2
  %claimed = getelementptr i64, ptr %state, i64 3
  %calls = atomicrmw add ptr %active, i64 1 seq_cst
  %sum = atomicrmw add ptr %claimed, i64 %blocks seq_cst
  %round = call i64 @waits_round(ptr %state)
  ret void
}

; The round comes first: with one call less, those that agreed before this one wrote could be all.
define internal void @waits_leave(ptr %state) nounwind {
  %round = call i64 @waits_round(ptr %state)
  %active = getelementptr i64, ptr %state, i64 2
  %calls = atomicrmw sub ptr %active, i64 1 seq_cst
  ret void
}

define internal void @waits_go_on(ptr %state, ptr %own) nounwind {
  %at_waits = getelementptr i64, ptr %own, i64 1
  %waits = load i64, ptr %at_waits, align 8
  store i64 0, ptr %own, align 8
  %waited = icmp ne i64 %waits, 0
  br i1 %waited, label %starts, label %end
starts:
  store i64 0, ptr %at_waits, align 8
  %round = call i64 @waits_round(ptr %state)
  br label %end
end:
  ret void
}

; Count a trip. The result says whether the function must end.
define internal i1 @waits_trip(ptr %state, ptr %own, i64 %lanes, i64 %loop) noinline nounwind {
entry:
  %at_lanes = getelementptr i64, ptr %own, i64 4
  %lanes_before = load i64, ptr %at_lanes, align 8
  %others = icmp ne i64 %lanes, %lanes_before
  br i1 %others, label %anew, label %again
anew:
  store i64 %lanes, ptr %at_lanes, align 8
  call void @waits_go_on(ptr %state, ptr %own)
  br label %go
again:
  %trips = load i64, ptr %own, align 8
  %trips_now = add i64 %trips, 1
  store i64 %trips_now, ptr %own, align 8
  %few = and i64 %trips_now, 1023
  %many = icmp eq i64 %few, 0
  br i1 %many, label %look, label %go
go:
  ret i1 false

look:
  %at_stopped = getelementptr i64, ptr %state, i64 STOPPED
  %stopped_by = load atomic i64, ptr %at_stopped seq_cst, align 8
  %stopped = icmp ne i64 %stopped_by, 0
  br i1 %stopped, label %stop, label %wait
wait:
  %at_waits = getelementptr i64, ptr %own, i64 1
  %at_round = getelementptr i64, ptr %own, i64 2
  %at_agreed = getelementptr i64, ptr %own, i64 3
  %waits = load i64, ptr %at_waits, align 8
  %waits_already = icmp ne i64 %waits, 0
  br i1 %waits_already, label %compare, label %register
register:
  store i64 1, ptr %at_waits, align 8
  %started = call i64 @waits_round(ptr %state)
  br label %seen
compare:
  %word = getelementptr i64, ptr %state, i64 4
  %now = load atomic i64, ptr %word seq_cst, align 8
  %round = lshr i64 %now, 32
  %known = load i64, ptr %at_round, align 8
  %same = icmp eq i64 %round, %known
  br i1 %same, label %agree, label %seen
seen:
  %round_seen = phi i64 [ %started, %register ], [ %round, %compare ]
  store i64 %round_seen, ptr %at_round, align 8
  store i64 0, ptr %at_agreed, align 8
  ret i1 false
agree:
  %agreed = load i64, ptr %at_agreed, align 8
  %agreed_already = icmp ne i64 %agreed, 0
  br i1 %agreed_already, label %judge, label %join
join:
  %now_with_us = add i64 %now, 1
  %swap = cmpxchg ptr %word, i64 %now, i64 %now_with_us seq_cst seq_cst
  %joined = extractvalue { i64, i1 } %swap, 1
  br i1 %joined, label %joins, label %go
joins:
  store i64 1, ptr %at_agreed, align 8
  br label %judge
judge:
  %at_active = getelementptr i64, ptr %state, i64 2
  %at_claimed = getelementptr i64, ptr %state, i64 3
  %at_threads = getelementptr i64, ptr %state, i64 1
  %blocks = load i64, ptr %state, align 8
  %threads = load i64, ptr %at_threads, align 8
  %claimed = load atomic i64, ptr %at_claimed seq_cst, align 8
  %active = load atomic i64, ptr %at_active seq_cst, align 8
  %last = load atomic i64, ptr %word seq_cst, align 8
  %last_round = lshr i64 %last, 32
  %last_agreed = and i64 %last, 4294967295
  %still = icmp eq i64 %last_round, %round
  %all_agreed = icmp sge i64 %last_agreed, %active
  %all_claimed = icmp sge i64 %claimed, %blocks
  %all_here = icmp sge i64 %active, %threads
  %no_other = or i1 %all_claimed, %all_here
  %all = and i1 %all_agreed, %no_other
  %dead = and i1 %all, %still
  br i1 %dead, label %end, label %go
end:
  store atomic i64 %loop, ptr %at_stopped seq_cst, align 8
  br label %stop
stop:
  ret i1 true
}
""".replace("STOPPED", str(STOPPED))
