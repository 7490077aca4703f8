import type { Counts } from '../hosts/counts.ts'

/** Of Workers Paid without included usage, in dollars for a million. Deleted rows and each `setAlarm` count as written. */
export const PRICES = { workerRequest: 0.3, objectRequest: 0.15, rowWritten: 1, rowRead: 0.001 }

/** What a million operations with these counts cost. */
export function dollarsOf(counts: Counts): number {
  const read = counts.objectRowsRead + counts.d1RowsRead
  const written = counts.objectRowsWritten + counts.d1RowsWritten + sumOf(counts.setAlarms)
  return (
    counts.workerRequests * PRICES.workerRequest +
    (sumOf(counts.objectRequests) + sumOf(counts.alarms)) * PRICES.objectRequest +
    read * PRICES.rowRead +
    written * PRICES.rowWritten
  )
}

export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, one) => sum + one, 0)
}
