import type { Row } from '../../../src/domain/table.ts'
import { Refusal } from '../../../src/lib/errors.ts'
import type { Code } from '../../../src/lib/errors.ts'
import type { ResultColumn, RowStream } from '../../../src/ports/databases.ts'

/** The lines of a result from an object to its caller: JSON with the columns, then with rows, then with the end. */
type Line = Head | readonly Row[] | Tail
/** `mixed` are the columns whose cells have several types and are to become text. */
export type Head = { readonly columns: readonly ResultColumn[]; readonly mixed: readonly number[] }
type Tail = { readonly refusal: { readonly code: Code; readonly detail: string } | null }
const encoder = new TextEncoder()
export const lineOf = (line: Line) => encoder.encode(`${JSON.stringify(line)}\n`)

/** Collects the lines of a result. */
export function linesOf() {
  const lines: Uint8Array[] = []
  return {
    addRows(rows: readonly Row[]): void {
      lines.push(lineOf(rows))
    },
    end(head: Head, refusal: Refusal | null): Uint8Array[] {
      const tail = refusal && { code: refusal.code, detail: refusal.detail }
      return [lineOf(head), ...lines, lineOf({ refusal: tail })]
    },
  }
}

/** The lines as bytes, at the pace of the reader. They end when the reader leaves. */
export function streamOf(lines: Iterator<Uint8Array, undefined>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const { value } = lines.next()
      if (value) controller.enqueue(new Uint8Array(value))
      else controller.close()
    },
    cancel() {
      lines.return?.()
    },
  })
}

/** The result whose lines come as bytes. */
export async function rowStreamOf(bytes: ReadableStream<Uint8Array>): Promise<RowStream> {
  const lines = linesIn(bytes)
  const first = (await lines.next()).value as Head | undefined
  if (!first) throw new Error('The tables answered nothing')
  const { columns, mixed } = first
  const rows = new ReadableStream<readonly Row[]>(
    {
      async pull(controller) {
        const { value } = await lines.next()
        if (value === undefined) throw new Error('The tables did not answer to the end')
        if ('refusal' in value) {
          if (value.refusal) controller.error(new Refusal(value.refusal.code, value.refusal.detail))
          else controller.close()
        } else
          controller.enqueue(
            (value as readonly Row[]).map((row) => (mixed.length === 0 ? row : texts(row, mixed))),
          )
      },
      async cancel() {
        await lines.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return { columns, rows }
}

function texts(row: Row, mixed: readonly number[]): Row {
  return row.map((cell, index) => (cell !== null && mixed.includes(index) ? String(cell) : cell))
}

async function* linesIn(bytes: ReadableStream<Uint8Array>): AsyncGenerator<Line, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytes) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    rest += first
    for (const part of others) {
      yield JSON.parse(rest) as Line
      rest = part
    }
  }
  return undefined
}
