"""Kernels of the golden texts, which hold their lines."""

import headwater as hw


def saxpy(y, x, a):
    i = hw.grid(1)
    if i < x.shape[0]:
        y[i] = a * x[i] + y[i]


def block_sum(total, x):
    partial = hw.shared.array(64, hw.float32)
    thread = hw.threadIdx.x
    partial[thread] = x[hw.grid(1)]
    hw.syncthreads()
    step = 32
    while step > 0:
        if thread < step:
            partial[thread] += partial[thread + step]
        hw.syncthreads()
        step >>= 1
    if thread == 0:
        hw.atomic.add(total, 0, partial[0])
        hw.atomic.max(total, 1, partial[0])


def move(positions, velocities, force, time_step):
    i = hw.grid(1)
    if i >= len(positions):
        return
    velocity = velocities[i] + force * time_step
    velocities[i] = velocity
    positions[i] = positions[i] + velocity * time_step


def count(counts, keys):
    for i in range(hw.grid(1), len(keys), hw.gridsize(1)):
        hw.atomic.add(counts, keys[i] % 8, hw.int64(1))
