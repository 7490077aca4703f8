import type { State } from '../../domain/state.ts'
import { isLevel, isMaintained } from '../states/state.ts'
import type { Day } from './days.ts'

/** An object as the public sees it: without its id and its place in the tree. */
export type ShownObject = {
  readonly name: string
  readonly state: State
  readonly sinceAt: number
  /** Null if no end is planned. */
  readonly maintainedUntilAt: number | null
}

/** The data of a page and a badge. */
export type PublicStatus = {
  readonly object: ShownObject
  readonly children: readonly ShownObject[]
  readonly days: readonly Day[]
  /** The availability over all days. */
  readonly percent: number | null
  readonly at: number
}

/** The shown objects that are bad now, and those in maintenance. */
export function troublesOf({ object, children }: PublicStatus) {
  const all = [object, ...children]
  return {
    outages: all.filter(({ state }) => isLevel(state)),
    maintained: all.filter(({ state }) => isMaintained(state)),
  }
}

/** The colour class of a state. */
export type Tone = 'good' | 'odd' | 'bad' | 'care' | 'none'

export function toneOf(state: State): Tone {
  if (state === 'ok') return 'good'
  if (isMaintained(state)) return 'care'
  if (state === 'warning') return 'odd'
  return isLevel(state) ? 'bad' : 'none'
}

/** The colour class of an availability. */
export function toneOfPercent(percent: number | null): Tone {
  if (percent === null) return 'none'
  if (percent >= 99.9) return 'good'
  return percent >= 95 ? 'odd' : 'bad'
}
