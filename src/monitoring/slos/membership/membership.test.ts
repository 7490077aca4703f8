import { describe, expect, test } from 'bun:test'
import { changesOf } from './membership.ts'

describe('the changes of membership after some objects were checked', () => {
  test.each([
    ['nothing fits and nothing was found', [], [], [], []],
    ['what fits comes', [1, 2], [], [1, 2], []],
    ['what was found stays', [1], [[1, true]], [], []],
    ['what fits no more goes', [], [[1, true]], [], [1]],
    ['what is linked stays linked', [1], [[1, false]], [], []],
    ['what is linked stays, also where it does not fit', [], [[1, false]], [], []],
  ] as const)('%s', (...[, found, known, come, gone]) => {
    expect(changesOf(found, new Map<number, boolean>(known))).toEqual({ come: [...come], gone: [...gone] })
  })
})
