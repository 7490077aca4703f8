import type { State } from '../../domain/state.ts'
import { isLevel, isMaintained } from '../states/state.ts'
import type { Day } from './days.ts'

/** One object as everybody may see it: nothing here says where it is in the tree, or what its number is. */
export type ShownObject = {
  readonly name: string
  readonly state: State
  readonly sinceAt: number
  /** Null where no end is planned. */
  readonly maintainedUntilAt: number | null
}

/** What a page and a badge are made of. */
export type PublicStatus = {
  readonly object: ShownObject
  readonly children: readonly ShownObject[]
  readonly days: readonly Day[]
  /** Of all the days together. */
  readonly percent: number | null
  readonly at: number
}

/** Those shown that are bad now, and those in maintenance. */
export function troublesOf({ object, children }: PublicStatus) {
  const all = [object, ...children]
  return {
    outages: all.filter(({ state }) => isLevel(state)),
    maintained: all.filter(({ state }) => isMaintained(state)),
  }
}

/** What a state looks like. */
export type Tone = 'good' | 'odd' | 'bad' | 'care' | 'none'

export function toneOf(state: State): Tone {
  if (state === 'ok') return 'good'
  if (isMaintained(state)) return 'care'
  if (state === 'warning') return 'odd'
  return isLevel(state) ? 'bad' : 'none'
}

/** What a percentage of good time looks like. */
export function toneOfPercent(percent: number | null): Tone {
  if (percent === null) return 'none'
  if (percent >= 99.9) return 'good'
  return percent >= 95 ? 'odd' : 'bad'
}
