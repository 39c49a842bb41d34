"""Particle sets: adding, removing, reordering."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as hw
from headwater.errors import CompileError, DomainError
from headwater.particles import CellGrid, Domain, ParticleSet
from headwater.primitives import Workspace

UNIT = Domain((0, 0, 0), (1, 1, 1))


@hw.kernel
def mark_every_third(p):
    i = hw.grid(1)
    if p.id[i] % 3 == 0:
        p.removed[i] = 1


@hw.kernel
def square(p):
    i = hw.grid(1)
    p.mass[i] = p.mass[i] * p.mass[i]


def some(device: hw.Device, n: int = 20, capacity: int = 30, **options: object) -> ParticleSet:
    fields = {"mass": np.float64, "velocity": hw.vec3f, "kind": hw.int32}
    p = ParticleSet(device, UNIT, capacity, fields, **options)  # type: ignore[arg-type]
    numbers = np.arange(n)
    velocity = np.stack([numbers, -numbers, 2 * numbers], axis=1)
    p.add(points(n), mass=numbers, velocity=velocity.astype(np.float32), kind=7)
    return p


def points(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random((n, 3), np.float32)


def check_association(p: ParticleSet) -> None:
    """Every field still belongs to its id."""
    ids = p.host("id")
    np.testing.assert_array_equal(p.host("position"), points(20)[ids])
    np.testing.assert_array_equal(p.host("mass"), ids)
    np.testing.assert_array_equal(p.host("velocity")[:, 2], 2 * ids)
    np.testing.assert_array_equal(p.host("kind"), np.full(len(ids), 7))


def test_fields(device: hw.Device) -> None:
    p = some(device)
    assert len(p) == 20
    assert list(p.fields) == ["position", "id", "mass", "velocity", "kind"]
    assert p.mass.dtype is hw.float64
    assert p.position.dtype == hw.vec3f
    check_association(p)


def test_adding_in_parts(device: hw.Device) -> None:
    p = some(device)
    ids = p.add(np.zeros((2, 3)), kind=[1, 2])
    assert ids.tolist() == [20, 21]
    assert p.add(np.zeros((0, 3))).tolist() == []
    assert len(p) == 22
    assert p.host("kind")[-3:].tolist() == [7, 1, 2]
    assert p.host("mass")[-2:].tolist() == [0, 0]


def test_kernels_reach_fields_by_name(device: hw.Device) -> None:
    p = some(device)
    square.over(p.count, capacity=p.capacity)(p)
    np.testing.assert_array_equal(p.host("mass"), np.arange(20.0) ** 2)


def test_remove_keeps_the_order(device: hw.Device) -> None:
    p = some(device)
    flags = np.zeros(30, np.int32)
    flags[[0, 4, 19, 25]] = 1
    p.remove(device.array(flags))
    assert p.host("id").tolist() == [i for i in range(20) if i not in (0, 4, 19)]
    check_association(p)
    p.remove(device.array(np.ones(30, np.bool_)))
    assert len(p) == 0
    assert p.host("position").shape == (0, 3)
    assert p.add(points(3)).tolist() == [20, 21, 22]


def test_marks_count_at_once_on_the_host_and_drop_out_at_remove(device: hw.Device) -> None:
    p = some(device)
    mark_every_third.over(p.count, capacity=p.capacity)(p)
    kept = [i for i in range(20) if i % 3]
    assert p.host("id").tolist() == kept
    assert len(p) == len(kept)
    assert p.count.numpy()[0] == 20
    p.remove(device.zeros(30, hw.int32))
    assert p.count.numpy()[0] == len(kept)
    assert p.host("id").tolist() == kept
    assert not p.removed.numpy().any()
    check_association(p)


def test_reorder_leaves_transient_fields_alone(device: hw.Device) -> None:
    p = some(device, transient=["kind"])
    order = np.random.default_rng(3).permutation(20).astype(np.int32)
    p.kind.write(np.arange(30, dtype=np.int32))
    p.reorder(device.array(np.concatenate([order, np.zeros(10, np.int32)])))
    assert p.host("id").tolist() == order.tolist()
    assert p.host("kind").tolist() == list(range(20))
    np.testing.assert_array_equal(p.host("mass"), order)


def test_reorder_checks_type_and_length(device: hw.Device) -> None:
    p = some(device)
    for order, sentence in (
        (device.zeros(30), "'order' must hold int32"),
        (device.zeros((30, 1), hw.int32), "'order' must hold int32 in one dimension"),
        (device.zeros(29, hw.int32), "'order' must have 30 elements, not 29"),
        (np.zeros(30, np.int32), "'order' must be an Array on a device, not a 'ndarray'"),
    ):
        with pytest.raises(DomainError, match=sentence):
            p.reorder(order)  # type: ignore[arg-type]
    assert p.host("id").tolist() == list(range(20))


def test_reorder_takes_the_nearest_particle_for_one_that_is_not_there(device: hw.Device) -> None:
    p = some(device)
    order = np.arange(30, dtype=np.int32)
    order[[0, 1, 2]] = [-5, 2**31 - 1, 25]
    p.reorder(device.array(order))
    assert p.host("id").tolist() == [0, 19, 19, *range(3, 20)]


def test_sets_of_different_sizes_share_a_workspace(device: hw.Device) -> None:
    space = Workspace(device)
    for capacity in (40, 30):
        p = some(device, capacity=capacity, workspace=space)
        p.remove(device.array(np.arange(capacity) == 3))
        assert p.host("id").tolist() == [0, 1, 2, *range(4, 20)]
        p.reorder(device.array(np.arange(capacity, dtype=np.int32)))
        check_association(p)


def test_double_precision_positions(device: hw.Device) -> None:
    p = ParticleSet(device, UNIT, 4, {"position": hw.vec3d})
    p.add([[1 / 3, 0.1, 0.2]])
    assert p.host("position").tolist() == [[1 / 3, 0.1, 0.2]]


def test_bad_sets(device: hw.Device) -> None:
    with pytest.raises(DomainError, match="not 0"):
        ParticleSet(device, UNIT, 0)
    for capacity in ("x", 1.5, True, None):
        with pytest.raises(DomainError, match="a capacity of 1 to"):
            ParticleSet(device, UNIT, capacity)  # type: ignore[arg-type]
    for name in ("id", "removed", "count", "add", "domain", "no name", "class", 1):
        with pytest.raises(DomainError, match=f"{name!r} cannot be the name"):
            ParticleSet(device, UNIT, 5, {name: hw.int32})  # type: ignore[dict-item]
    with pytest.raises(DomainError, match=r"types by name, not \['a'\]"):
        ParticleSet(device, UNIT, 5, ["a"])  # type: ignore[arg-type]
    with pytest.raises(DomainError, match="lives on a Device, not on 'cpu'"):
        ParticleSet("cpu", UNIT, 5)  # type: ignore[arg-type]
    with pytest.raises(DomainError, match="lives in a Domain, not in 3"):
        ParticleSet(device, 3, 5)  # type: ignore[arg-type]
    with pytest.raises(DomainError, match="vec3f or vec3d"):
        ParticleSet(device, UNIT, 5, {"position": hw.vec3i})
    with pytest.raises(DomainError, match="could be transient"):
        ParticleSet(device, UNIT, 5, transient=["rho"])
    with pytest.raises(DomainError, match=r"field 'v': 'vec3' is not a dtype\n.*hw\.vec3f"):
        ParticleSet(device, UNIT, 5, {"v": "vec3"})
    with pytest.raises(DomainError, match="'_types' cannot be the name"):
        ParticleSet(device, UNIT, 5, {"_types": hw.int32})


def test_nothing_takes_the_place_of_a_field(device: hw.Device) -> None:
    p = some(device)
    other = device.zeros(30, hw.float64)
    for name in ("mass", "position", "id", "removed", "count"):
        with pytest.raises(
            DomainError, match=rf"p\.{name}\.write\(\.\.\.\) or p\.{name}\.copy_from"
        ):
            setattr(p, name, other)
    for name in ("rho", "capacity", "device", "domain", "version", "_other"):
        with pytest.raises(DomainError, match=f"'{name}' of the particles cannot be assigned"):
            setattr(p, name, 3)
    p.mass.copy_from(other)
    square.over(p.count, capacity=p.capacity)(p)
    assert not p.host("mass").any()
    assert p.capacity == 30
    assert p.device is device


def test_kernels_do_not_write_ids(device: hw.Device) -> None:
    p = some(device)

    @hw.kernel
    def renumber(p):
        p.id[hw.grid(1)] = 0

    @hw.kernel
    def recount(p):
        hw.atomic.add(p.count, 0, 1)

    for kernel, name in ((renumber, "id"), (recount, "count")):
        with pytest.raises(CompileError, match=rf"'p\.{name}' can be read in a kernel, but not"):
            kernel[1, 1](p)
    check_association(p)


def test_bad_values(device: hw.Device) -> None:
    p = some(device)
    with pytest.raises(DomainError, match="11 particles do not fit: 20 of 30"):
        p.add(np.zeros((11, 3)))
    with pytest.raises(DomainError, match="position 1 is not finite"):
        p.add([[0, 0, 0], [0, np.nan, 0]])
    with pytest.raises(DomainError, match="no field 'rho'"):
        p.add([[0, 0, 0]], rho=1)
    with pytest.raises(DomainError, match="'mass' takes the shape"):
        p.add([[0, 0, 0]], mass=[1, 2])
    with pytest.raises(DomainError, match="'kind': 'float64' values do not become 'int32'"):
        p.add([[0, 0, 0]], kind=1.5)
    with pytest.raises(DomainError, match="'position' takes the shape"):
        p.add([0, 0, 0])
    with pytest.raises(DomainError, match="no field 'rho'"):
        p.host("rho")
    with pytest.raises(AttributeError, match="no field 'rho'"):
        p.rho
    for kind, value in (("int32", 2**40 + 7), ("uint32", -1)):
        q = ParticleSet(device, UNIT, 3, {"q": kind})
        with pytest.raises(DomainError, match=f"'q': the value {value} does not fit {kind}"):
            q.add([[0, 0, 0]], q=np.array([value]))
        q.add([[0, 0, 0]], q=5)
        assert q.host("q").tolist() == [5]
    with pytest.raises(DomainError, match="position 0 is not finite"):
        p.add([[1e300, 0, 0]])
    with pytest.raises(DomainError, match="'flags' must have 30"):
        p.remove(device.zeros(20, hw.int32))
    with pytest.raises(DomainError, match="'flags' must hold bool, int32, uint32"):
        p.remove(device.zeros(30))
    assert len(p) == 20


def test_memory_stays_the_same_in_a_loop(device: hw.Device) -> None:
    p = some(device)
    grid = CellGrid(p, 0.3)
    flags = device.zeros(30, hw.int32)

    def turn() -> int:
        mark_every_third.over(p.count, capacity=p.capacity)(p)
        grid.update()
        p.remove(flags)
        return hw.memory_report().of(device.name)

    assert turn() == turn()
