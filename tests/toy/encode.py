from kuku_env.core.jit import njit
from toy.rules import OVER, UNKNOWN, is_legal


@njit
def encode(s, me, out, mask):
    out[:] = 0
    mask[:] = 0
    if s.phase < OVER:
        out[s.phase] = 1
    out[2 + me] = 1
    if me == 0 and s.coin != UNKNOWN:
        out[5 + s.coin] = 1
    if s.said != UNKNOWN:
        out[7 + s.said] = 1
    for action in range(4):
        mask[action] = s.turn == me and is_legal(s, action)
