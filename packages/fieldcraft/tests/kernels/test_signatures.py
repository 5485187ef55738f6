"""Argument types as they are written above kernels, and kernels that keep to them."""

from __future__ import annotations

import inspect
import threading

import numpy as np
import pytest

from fieldcraft import kernels
from fieldcraft.kernels import declare
from fieldcraft.kernels.signatures import Argument, parse


def test_what_a_declaration_says() -> None:
    assert parse("u1[:,::1], f8, out f4[::1], (i8, f4[:,:]), none") == (
        Argument("u1", 2),
        Argument("f8"),
        Argument("f4", 1, written=True),
        Argument("", items=(Argument("i8"), Argument("f4", 2, dense=False))),
        Argument(""),
    )


@pytest.mark.parametrize("text", ["f3", "f4[", "float", "out", "f4[:,::1] f4"])
def test_what_declares_nothing(text: str) -> None:
    with pytest.raises(ValueError, match="Got"):
        parse(text)


@pytest.mark.skipif(not kernels.compiled(), reason="nothing is compiled in this process")
class TestKernels:
    def test_each_version_has_a_type_for_each_argument(self) -> None:
        from fieldcraft.kernels.warming import entries

        found = entries()
        assert len(found) > 120
        for kernel in found:
            for text in kernel.declared:
                assert len(parse(text)) == len(inspect.signature(kernel.py_func).parameters), (
                    kernel.py_func
                )

    def test_read_only_and_writable_arrays_share_a_version_and_others_are_refused(self) -> None:
        @declare.kernel("f4[:,::1], f8, out f4[:,::1]")
        def scale(values, factor, out):
            for y in range(values.shape[0]):
                for x in range(values.shape[1]):
                    out[y, x] = values[y, x] * factor

        values, out = np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)
        fixed = values.view()
        fixed.flags.writeable = False
        for given, factor in ((values, 2), (fixed, 3.0), (values, np.float32(4))):
            scale(given, factor, out)
            assert (out == factor).all()
        assert len(scale.signatures) == 1
        for wrong in ((values[:, ::2], 1, out), (values.astype(float), 1, out), (values, 1, fixed)):
            with pytest.raises(TypeError, match="No matching definition"):
                scale(*wrong)
        assert len(scale.signatures) == 1

    def test_a_caller_among_kernels_may_have_another_version_and_threads_may_race_for_the_first(
        self,
    ) -> None:
        @declare.kernel("i8[::1]")
        def total(values):
            found = 0
            for value in values:
                found += value
            return found

        @declare.kernel("f8[::1]")
        def doubled(values):
            return 2 * total(values)

        said: list[float] = []
        threads = [
            threading.Thread(target=lambda: said.append(doubled(np.array([0.25, 0.5]))))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert said == [1.5] * 4
        assert total(np.array([1, 2])) == 3
        with pytest.raises(TypeError):
            total(np.array([0.5]))
