"""What the losses say when they refuse an argument: what failed, which value, why, a way out."""

import pytest

from fenchel.errors import FenchelError, InvalidInputError
from fenchel.losses import EpsilonInsensitive, Hinge, Huber, Quantile, SmoothedHinge, get_loss


def message_of(call, *arguments, **parameters) -> str:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidInputError) as caught:
        call(*arguments, **parameters)
    assert isinstance(caught.value, FenchelError | ValueError)
    return str(caught.value)


def test_a_parameter_at_its_bound_names_the_loss_to_use_instead() -> None:
    assert message_of(SmoothedHinge, width=0.0) == (
        "SmoothedHinge cannot use width=0.0: it must be a finite number above 0. "
        "Width 0 is the plain hinge loss: use Hinge()."
    )
    assert "use Absolute()" in message_of(Huber, threshold=0).replace("Use", "use")


def test_a_closed_bound_says_at_least() -> None:
    assert "at least 0" in message_of(EpsilonInsensitive, margin=-0.5)
    assert EpsilonInsensitive(margin=0).margin == 0.0


def test_an_interval_names_both_ends() -> None:
    message = message_of(Quantile, level=95)
    assert "level=95" in message
    assert "above 0 and below 1" in message
    assert "percentage" in message


@pytest.mark.parametrize("value", ["0.5", None, True, [0.5], 0.5j])
def test_a_value_that_is_no_real_number_is_refused(value: object) -> None:
    assert f"level={value!r}" in message_of(Quantile, level=value)


def test_an_unknown_name_lists_the_names() -> None:
    message = message_of(get_loss, "logit")
    assert "loss='logit'" in message
    for name in ("'logistic'", "'epsilon_insensitive'", "'multi_squared'"):
        assert name in message


@pytest.mark.parametrize("loss", [None, 3, Hinge])
def test_what_is_neither_name_nor_instance_is_refused(loss: object) -> None:
    assert f"loss={loss!r}" in message_of(get_loss, loss)


def test_an_unknown_parameter_lists_the_parameters() -> None:
    assert message_of(get_loss, "huber", delta=1.0) == (
        "The loss 'huber' cannot use 'delta': its parameters are 'threshold'. "
        "Correct the name or leave it out."
    )
    assert "it has no parameters" in message_of(get_loss, "hinge", width=1.0)


def test_a_bad_value_through_the_registry_is_refused_too() -> None:
    assert "Huber cannot use threshold=-1.0" in message_of(get_loss, "huber", threshold=-1.0)


def test_an_instance_with_parameters_is_refused() -> None:
    message = message_of(get_loss, Huber(threshold=2.0), threshold=1.0)
    assert "'threshold'" in message
    assert "Huber(threshold=2.0)" in message
