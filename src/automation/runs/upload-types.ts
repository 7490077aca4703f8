import { DOCUMENTS, JSON_TEXT, MediaTypes, TEXT, XML, ZIP } from '../../content/files/media-types.ts'
import type { TypeTable } from '../../content/files/media-types.ts'

const GZIP = ['application/gzip']
const PARQUET = ['application/vnd.apache.parquet']
const AVRO = ['application/avro']
const ZSTD = ['application/zstd']

/** The library `file-type` does not detect these types. */
const beginsWith =
  (...bytes: readonly number[]) =>
  (head: Uint8Array) =>
    bytes.every((byte, at) => head[at] === byte)
const ORC = beginsWith(0x4f, 0x52, 0x43)
/** A stream begins with the mark of a message, then the length of its metadata, a multiple of eight. */
const isArrowStream = (head: Uint8Array) =>
  beginsWith(0xff, 0xff, 0xff, 0xff)(head) && (head[4] ?? 1) % 8 === 0 && head.length >= 8

const TYPES: TypeTable = {
  'text/plain': [TEXT, 'txt', 'log'],
  'text/csv': [TEXT, 'csv'],
  'text/tab-separated-values': [TEXT, 'tsv', 'tab'],
  'text/tsv': [TEXT],
  'text/markdown': [TEXT, 'md'],
  'text/vtt': [/^WEBVTT(?=\s|$)/, 'vtt'],
  'application/json': [JSON_TEXT, 'json'],
  'application/x-ndjson': [JSON_TEXT, 'ndjson'],
  'application/jsonl': [JSON_TEXT, 'jsonl'],
  'application/xml': [XML, 'xml'],
  'text/xml': [XML],
  'application/yaml': [TEXT, 'yaml', 'yml'],
  'text/yaml': [TEXT],
  'application/x-yaml': [TEXT],
  'application/sql': [TEXT, 'sql'],
  'text/sql': [TEXT],
  ...DOCUMENTS,
  'application/parquet': [PARQUET, 'parquet'],
  'application/x-parquet': [PARQUET],
  'application/avro': [AVRO, 'avro'],
  'application/x-avro': [AVRO],
  'application/vnd.apache.arrow.file': [['application/vnd.apache.arrow.file'], 'arrow', 'feather'],
  'application/vnd.apache.arrow.stream': [isArrowStream, 'arrows'],
  'application/orc': [ORC, 'orc'],
  'application/x-orc': [ORC],
  'application/zip': [[ZIP], 'zip'],
  'application/x-zip-compressed': [[ZIP]],
  'application/gzip': [GZIP, 'gz', 'tgz'],
  'application/x-gzip': [GZIP],
  'application/x-bzip2': [['application/x-bzip2'], 'bz2'],
  'application/x-xz': [['application/x-xz'], 'xz'],
  'application/zstd': [ZSTD, 'zst'],
  'application/x-zstd': [ZSTD],
  'application/x-tar': [['application/x-tar'], 'tar'],
  'application/x-7z-compressed': [['application/x-7z-compressed'], '7z'],
}

/** The media types that files for a run may have, each with its tests and endings. */
export const UPLOAD_TYPES = new MediaTypes(TYPES)
