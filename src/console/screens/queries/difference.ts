import { diffLines } from 'diff'

import type { Parameter } from './query.ts'

/** A data query as it is compared. */
export type Compared = {
  readonly dataSourceId: number
  readonly text: string
  readonly parameters: readonly Parameter[]
}

/** A line of a comparison; `skip` stands for lines that are equal on both sides. */
export type Line =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }
  | { readonly kind: 'skip'; readonly count: number }

/** Equal lines that are shown around a change. */
const CONTEXT = 3

/** The lines that lead from one text to another; null if the texts are equal. */
export function linesOf(before: string, after: string): readonly Line[] | null {
  const parts = diffLines(ended(before), ended(after))
  if (!parts.some(({ added, removed }) => added || removed)) return null
  return parts.flatMap(({ value, added, removed }, at): readonly Line[] => {
    const texts = value.replace(/\n$/, '').split('\n')
    if (added || removed) return texts.map((text) => ({ kind: added ? 'added' : 'removed', text }))
    const head = at === 0 ? 0 : CONTEXT
    const tail = at === parts.length - 1 ? 0 : CONTEXT
    const same = texts.map((text) => ({ kind: 'same' as const, text }))
    // A line that is left out takes a line itself.
    if (texts.length <= head + tail + 1) return same
    return [
      ...same.slice(0, head),
      { kind: 'skip', count: texts.length - head - tail },
      ...same.slice(texts.length - tail),
    ]
  })
}

const ended = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)

/** The parameters as text, one a line, such as `region: string = "north"`. */
export function parametersText(parameters: readonly Parameter[]): string {
  return parameters
    .map(({ name, type, multi, required, default: value, choices, valuesQueryId }) =>
      [
        `${name}: ${type}${multi ? '[]' : ''}${required ? ' !' : ''}`,
        ...(choices.length > 0 ? [`(${choices.join(' | ')})`] : []),
        ...(valuesQueryId === null ? [] : [`(#${valuesQueryId})`]),
        ...(value === null || value === undefined ? [] : [`= ${JSON.stringify(value)}`]),
      ].join(' '),
    )
    .join('\n')
}
