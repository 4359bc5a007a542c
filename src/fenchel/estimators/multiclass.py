"""Which problems several classes pose: one of all classes, or one a class against the rest."""

from __future__ import annotations

from dataclasses import replace

from fenchel.driver.result import Result
from fenchel.errors import InvalidInputError
from fenchel.losses import Hinge, Logistic, Loss, MulticlassHinge, Softmax
from fenchel.problem.problem import Problem

__all__ = ["centre_intercepts", "loss_for_classes", "native_form"]

_CHOICES = ("auto", "native", "one_vs_rest")

_NATIVE_FORMS: dict[str, type[Loss]] = {Logistic.name: Softmax, Hinge.name: MulticlassHinge}


def native_form(loss: Loss) -> Loss | None:
    """The loss of all classes at once that is ``loss`` for two of them; None where there is none.

    Softmax with two classes is the logistic loss of the difference of the scores, and the hinge of Crammer
    and Singer the hinge of that difference. A loss of several classes is its own native form.
    """
    if loss.task == "multiclass":
        return loss
    form = _NATIVE_FORMS.get(loss.name)
    return None if form is None else form()


def loss_for_classes(loss: Loss, n_classes: int, multi_class: object) -> Loss:
    """The loss of the problem or problems that a classifier poses.

    Two classes are one problem with any loss, which is taken as it is. More are one problem with the
    native form of the loss under "native", and under "auto" where there is one; else one problem a class.

    Raises InvalidInputError where the loss does not have the form that is asked for.
    """
    if multi_class not in _CHOICES:
        raise InvalidInputError(f"multi_class={multi_class!r} is unknown. Use one of {list(_CHOICES)}.")
    if multi_class == "one_vs_rest" and loss.task == "multiclass":
        raise InvalidInputError(
            f"multi_class='one_vs_rest' cannot be used with the loss {loss.name!r}, which is one of all "
            "classes at once. Use 'logistic', 'hinge' or another loss of two classes, or multi_class='auto'."
        )
    if n_classes == 2 or multi_class == "one_vs_rest":
        return loss
    native = native_form(loss)
    if native is None and multi_class == "native":
        raise InvalidInputError(
            f"multi_class='native' cannot be used with the loss {loss.name!r} and {n_classes} classes: it "
            f"has no form for all classes at once. Use one of {[*_NATIVE_FORMS]}, or 'one_vs_rest'."
        )
    return loss if native is None else native


def centre_intercepts(problem: Problem, result: Result) -> Result:
    """Of all intercepts that give the same model take those of mean 0, which are unique.

    A constant added to the scores of all classes changes no loss. The certificate is that of the new point,
    whose radius depends on the size of the intercepts. Other problems keep their result.
    """
    if not problem.fit_intercept or problem.loss.task != "multiclass":
        return result
    w = result.w.copy()
    w[-1] -= w[-1].mean()
    return replace(result, w=w, certificate=problem.certify(w, result.u))
