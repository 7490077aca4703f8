import { HOST_NAMES } from '../hosts/start.ts'
import { patternOf } from './pattern.ts'
import type { Calendar, Given, Pattern } from './pattern.ts'
import type { Draft, Play } from './play.ts'

/** A sentence that stories may use, and what it does. */
export type Word = {
  /** What is written, with placeholders as in `patternOf`. */
  readonly says: string
  /** Headings of which one must stand above it; absent for what stands by itself. */
  readonly under?: readonly string[]
  /** The heading that it is to what is indented below it. */
  readonly heads?: string
  /** True when it says what is to be found: that is what a story is told for. */
  readonly expects?: true
  /** What is indented below has been done before, and left its traces in the draft. */
  run(play: Play, given: Given, draft: Draft): Promise<void> | void
}

export type Line = {
  readonly file: string
  readonly number: number
  readonly text: string
  readonly word: Word
  readonly given: Given
  readonly below: readonly Line[]
}

export type Story = {
  readonly file: string
  readonly title: string
  /** The hosts that it is told of. */
  readonly hosts: readonly string[]
  readonly lines: readonly Line[]
}

/** Where a story is wrong, and why. */
export class StoryError extends Error {
  constructor(
    readonly place: { readonly file: string; readonly number: number },
    reason: string,
    cause?: unknown,
  ) {
    super(`${place.file}:${place.number}: ${reason}`, { cause })
    this.name = 'StoryError'
  }
}

type Written = { readonly file: string; readonly number: number; readonly text: string }

/** Reads a story; times without a date are on the day that was written last.
 * @throws {StoryError} naming file and line of the first thing that is wrong */
export function parseStory(file: string, text: string, words: readonly Word[]): Story {
  const written = text.split('\n').flatMap((line, index): Written[] => {
    const bare = line.trimEnd()
    return bare.trim() === '' || bare.trim().startsWith('#') ? [] : [{ file, number: index + 1, text: bare }]
  })
  const [first, ...rest] = written
  const [, host, title] = /^story(?: on (bun|edge))?: (.+)$/.exec(first?.text ?? '') ?? []
  if (title === undefined)
    throw new StoryError(first ?? { file, number: 1 }, 'a story begins with `story: <what it tells>`')
  const lines = linesOf(rest, new Reader(words))
  for (const line of lines) {
    if (line.word.expects && line.word.heads !== undefined && line.below.length === 0)
      throw new StoryError(line, 'write below it what is expected, or `none`')
  }
  if (!lines.some(({ word }) => word.expects))
    throw new StoryError({ file, number: 1 }, 'a story that expects nothing tells nothing')
  return { file, title, hosts: host === undefined ? HOST_NAMES : [host], lines }
}

function linesOf(written: readonly Written[], reader: Reader): Line[] {
  const lines: Line[] = []
  let below: Line[] = []
  for (const one of written) {
    const indented = /^\s+/.test(one.text)
    const head = lines.at(-1)
    if (!indented) {
      below = []
      lines.push({ ...reader.read(one, null), below })
    } else if (head?.word.heads === undefined) throw new StoryError(one, 'nothing may be indented below that')
    else below.push({ ...reader.read(one, head.word.heads), below: [] })
  }
  return lines
}

/** Reads sentences one after the other, and remembers the date on the way. */
class Reader {
  readonly #known: readonly { readonly word: Word; readonly pattern: Pattern }[]
  readonly #calendar: Calendar = { date: null }

  constructor(words: readonly Word[]) {
    this.#known = words.map((word) => ({ word, pattern: patternOf(word.says) }))
  }

  read(written: Written, heading: string | null): Omit<Line, 'below'> {
    const text = written.text.trim()
    const found = this.#known.flatMap(({ word, pattern }) => {
      const fits = heading === null ? word.under === undefined : word.under?.includes(heading)
      const given = fits ? this.#given(pattern, written) : null
      return given ? [{ word, given }] : []
    })
    const [meaning, other] = found
    if (!meaning) {
      const where = heading === null ? '' : ` below ${heading}`
      throw new StoryError(written, `I do not understand \`${text}\`${where}`)
    }
    if (other)
      throw new StoryError(written, `\`${text}\` means \`${meaning.word.says}\` and \`${other.word.says}\``)
    return { ...written, text, ...meaning }
  }

  #given(pattern: Pattern, written: Written): Given | null {
    try {
      return pattern.read(written.text.trim(), this.#calendar)
    } catch (error) {
      throw new StoryError(written, (error as Error).message, error)
    }
  }
}
