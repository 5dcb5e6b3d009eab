from kuku_env.core.crew import (
    claim,
    first_game,
    first_order,
    is_step,
    next_order,
    report,
    see_to_actions,
)
from kuku_env.core.game import FATES_KNOWN, ILLEGAL, PLAYED
from kuku_env.core.jit import njit
from kuku_env.core.masks import keep
from toy.encode import encode
from toy.options import SEATS
from toy.rules import OVER, UNKNOWN, act, is_legal, quiet, start, toss


@njit
def deal(S, i):
    start(S[i])


@njit
def step(S, i, action):
    s = S[i]
    if not is_legal(s, action):
        return ILLEGAL
    act(s, action)
    return FATES_KNOWN if s.phase == OVER else PLAYED


@njit
def resolve(S, i, outcome):
    quiet(S[i])
    toss(S[i], outcome)


@njit
def chance_weights(S, i, weights):
    weights[:] = 1


@njit
def observe(S, i, seat, observation, action_mask):
    encode(S[i], seat, observation, action_mask)


@njit
def secrets(S, i, seat, out):
    out[:] = 0
    if S[i].coin != UNKNOWN:
        out[S[i].coin] = 1


@njit
def step_range(
    S,
    actions,
    autoreset,
    first,
    stop,
    observation,
    action_mask,
    seat,
    rewards,
    terminated,
    truncated,
):
    for i in range(first, stop):
        s = S[i]
        rewards[i, :] = 0.0
        terminated[i] = truncated[i] = False
        if actions[i] >= 0:
            act(s, actions[i])
            terminated[i] = s.phase == OVER
            for k in range(SEATS):
                rewards[i, k] = s.rewards[k]
            if terminated[i] and autoreset:
                start(s)
    observe_range(S, first, stop, observation, action_mask, seat)


@njit
def observe_range(S, first, stop, observation, action_mask, seat):
    for i in range(first, stop):
        if S[i].phase < OVER:
            seat[i] = S[i].turn
            encode(S[i], S[i].turn, observation[i].cells, action_mask[i].cells)
        else:
            seat[i] = -1
            observation[i].cells[:] = 0
            action_mask[i].cells[:] = 0


@njit
def secrets_range(S, first, stop, seat, out):
    for i in range(first, stop):
        secrets(S, i, 0, out[i].cells)


@njit
def serve(board, member, job, games, turns, choice):
    S, actions, autoreset = games
    order = first_order(board, member, job)
    while order >= 0:
        k = claim(board, member, order)
        while k >= 0:
            start, stop = first_game(board, k), first_game(board, k + 1)
            if is_step(order):
                step_range(S, actions, autoreset, start, stop, *turns)
                keep(turns[1], choice[0], start, stop)
            else:
                see_to_actions(board, order, k, start, stop, actions, autoreset, choice)
            report(board, k, order)
            k = claim(board, member, order)
        order = next_order(board, member, order, choice)
