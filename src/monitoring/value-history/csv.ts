import type { SeriesView } from './schema.ts'

/** The series one below the other as CSV (RFC 4180): job, key, timestamp, value, and for buckets their other fields. */
export function csvOf(series: readonly SeriesView[]): string {
  const rows = series.flatMap(({ jobId, key, values = [] }) =>
    values.map((row) => {
      const { min = null, max = null, count = null } = 'count' in row ? row : {}
      return [jobId, key, row.timestamp, row.value, min, max, count].map(cell).join(',')
    }),
  )
  return ['jobId,key,timestamp,value,min,max,count', ...rows, ''].join('\r\n')
}

/** A text that a spreadsheet would read as a formula gets an apostrophe in front (OWASP: CSV Injection). */
function cell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
