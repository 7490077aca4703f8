import { timeFormat } from '../../../lib/time.ts'
import type { Ports } from '../../../ports/index.ts'
import type { LogQuery, LogView } from '../schema.ts'
import { readLog } from '../store/log.ts'

type Page = Pick<LogQuery, 'offset' | 'limit'> & { readonly isOver: boolean; readonly dropped: number }

/** A page of the log of a run, whose state was read before. */
export async function readLogOf(
  ports: Pick<Ports, 'database' | 'settings'>,
  runId: string,
  { offset, limit, isOver, dropped }: Page,
): Promise<LogView> {
  const rows = await readLog(ports.database, { runId, afterLine: offset, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const format = timeFormat(ports.settings.timeZone)
  return {
    offset: shown.at(-1)?.line ?? offset,
    completed: isOver && rows.length <= limit,
    lines: shown.map(({ line, at, stream, text }) => ({
      n: line,
      at: format(at),
      stream: stream as LogView['lines'][number]['stream'],
      text,
    })),
    dropped,
  }
}
