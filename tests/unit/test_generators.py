"""Generators of seeds that are remembered are those of NumPy, with their children; words are uniform."""

import copy
import pickle

import numpy as np
import pytest

from fenchel.numerics.generators import generator_of, random_words


@pytest.mark.parametrize("seed", [0, 7, 2**70, np.int64(3), True])
def test_the_draws_are_those_of_numpy(seed):
    for _ in range(2):  # the second one is remembered
        ours, theirs = generator_of(seed), np.random.default_rng(seed)
        np.testing.assert_array_equal(ours.random(5), theirs.random(5))


def test_children_are_those_of_numpy_and_differ():
    ours, theirs = generator_of(5), np.random.default_rng(5)
    for _ in range(2):
        found, expected = ([child.random() for child in rng.spawn(3)] for rng in (ours, theirs))
        assert found == expected
        assert len(set(found)) == 3
    assert generator_of(5).spawn(1)[0].random() == np.random.default_rng(5).spawn(1)[0].random()


def test_one_generator_does_not_move_another():
    first = generator_of(0)
    first.random(100)
    assert generator_of(0).random() == np.random.default_rng(0).random()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda rng: pickle.loads(pickle.dumps(rng))])
def test_copies_go_on_alike(copied):
    rng = generator_of(3)
    rng.random(7)
    other = copied(rng)
    assert other.random() == rng.random()
    assert other.spawn(1)[0].random() == rng.spawn(1)[0].random()


def test_a_generator_comes_back_and_bad_seeds_are_refused():
    rng = np.random.default_rng(0)
    assert generator_of(rng) is rng
    assert generator_of(None).random() != generator_of(None).random()
    with pytest.raises(ValueError, match="non-negative"):
        generator_of(-1)


@pytest.mark.parametrize("source", [np.random.PCG64, np.random.Philox, np.random.SFC64, np.random.MT19937])
@pytest.mark.parametrize("count", [0, 1, 1001])
def test_words_fill_their_range(source, count):
    words = random_words(np.random.Generator(source(1)), count)
    assert words.dtype == np.uint32
    assert words.shape == (count,)
    again = random_words(np.random.Generator(source(1)), count)
    np.testing.assert_array_equal(words, again)
    if count > 1:
        bits = (words[:, None] >> np.arange(32, dtype=np.uint32)) & 1
        # Every bit is set in half of the words: 6 standard deviations of a mean of 1,001.
        assert np.all(np.abs(bits.mean(axis=0) - 0.5) < 0.1)
