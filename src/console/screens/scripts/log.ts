import type { RunState } from './script.ts'

export type LogLine = {
  readonly n: number
  readonly at: string
  readonly stream: 'stdout' | 'stderr' | 'system'
  readonly text: string
}

/** A part of the stream of a log: a line, or that the run has ended. */
export type LogEvent =
  | { readonly kind: 'line'; readonly line: LogLine }
  | { readonly kind: 'end'; readonly state: RunState }

/** The newest lines of a log that the page keeps. */
export const LINES_MAX = 10_000

/** Reads complete server-sent events and leaves the rest of the text for the next call. */
export function readBlocks(text: string): { readonly events: readonly LogEvent[]; readonly rest: string } {
  const blocks = text.split('\n\n')
  const rest = blocks.pop() ?? ''
  return { events: blocks.flatMap(eventOf), rest }
}

function eventOf(block: string): readonly LogEvent[] {
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]))
  const data = fields.get('data')
  const kind = fields.get('event')
  if (data === undefined || (kind !== 'line' && kind !== 'end')) return []
  const content = JSON.parse(data) as unknown
  if (kind === 'line') return [{ kind, line: content as LogLine }]
  return [{ kind, state: (content as { readonly state: RunState }).state }]
}

/** The lines with newer ones behind them; a line that is known already is left out, and the oldest beyond the limit. */
export function appendLines(lines: readonly LogLine[], newer: readonly LogLine[]): readonly LogLine[] {
  const last = lines.at(-1)?.n ?? 0
  const fresh = newer.filter(({ n }) => n > last)
  return fresh.length === 0 ? lines : [...lines, ...fresh].slice(-LINES_MAX)
}

/** How a line is drawn: errors and warnings stand out, also those on standard output. */
export function lineClass({ stream, text }: LogLine): string {
  if (stream === 'system') return 'faint'
  if (/\b(ERROR|CRITICAL|FATAL|Traceback)\b/.test(text)) return 'e'
  return stream === 'stderr' || /\bWARN(ING)?\b/.test(text) ? 'w' : ''
}
