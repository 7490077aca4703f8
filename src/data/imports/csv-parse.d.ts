/** The part of csv-parse that the service uses. */
export type Options = {
  readonly bom: boolean
  readonly delimiter: string
  readonly quote: string
  readonly encoding: 'utf8' | 'latin1' | 'utf16le'
  readonly max_record_size: number
  readonly record_delimiter: readonly string[]
  readonly relax_column_count: boolean
  /** A record for which it returns null is not passed on. */
  readonly on_record: (cells: string[]) => null
}

export function parse(options: Options): TransformStream<Uint8Array, string[]>

/** An error of the text has a code; one of the options has one too, which begins with `CSV_OPTION`. */
export class CsvError extends Error {
  readonly code: string
}
