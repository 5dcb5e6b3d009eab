"""What the network's guesses are measured by: how the game ended, and the cards as they lay.

An action's value is learned where that action was chosen, from the result of that game: what is
hardly ever chosen is known only as well as the openings and rivals of training let it happen.
"""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from agents.network import Guesses
from kuku_env.core.game import Game


def guess_losses(
    game: Game,
    guesses: Guesses,
    action: Tensor,
    action_mask: Tensor,
    outcome: Tensor,
    secrets: Tensor,
) -> dict[str, Tensor]:
    """Cross-entropies of guesses about N decisions, by what was guessed, each float32 (N,).

    ``action`` int64 (N,) that was chosen, ``action_mask`` int8 (N, A), ``outcome`` float32 (N, P)
    shares of the win relative to the seat that decided, ``secrets`` int8 (N, S). A belief costs
    nothing where there is nothing to believe.
    """
    chosen = guesses.actions.gather(1, action[:, None])
    losses = {
        "seats": _of_many(guesses.seats, outcome),
        "actions": _of_two(chosen, outcome[:, :1]),
    }
    layout = game.layout
    for belief in game.beliefs:
        truth = secrets[:, game.secrets.offsets[belief.name]].float()
        logits = guesses.beliefs[belief.name]
        asked = action_mask[:, layout.ids(belief.when)].amax(1)
        of_cells = _of_many if logits.shape[1] > 1 else _of_two
        losses[belief.name] = asked * of_cells(logits, truth)
    return losses


def _of_many(logits: Tensor, truth: Tensor) -> Tensor:
    """Cross-entropy of one among K, logits and shares of the truth (N, K): float32 (N,)."""
    return functional.cross_entropy(logits, truth, reduction="none")


def _of_two(logits: Tensor, truth: Tensor) -> Tensor:
    """Cross-entropy of yes or no, both (N, 1): float32 (N,)."""
    loss = functional.binary_cross_entropy_with_logits(logits, truth, reduction="none")
    return loss.squeeze(1)
