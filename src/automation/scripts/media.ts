import { extensionOf } from '../../content/files/filename.ts'
import { BINARY } from '../../content/files/media-types.ts'

/** The media types of the files of scripts, by extension. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  py: 'text/x-python',
  sh: 'text/x-shellscript',
  js: 'text/javascript',
  ts: 'text/x-typescript',
  java: 'text/x-java',
  sql: 'text/x-sql',
  toml: 'text/x-toml',
  ini: 'text/x-ini',
  cfg: 'text/x-ini',
  properties: 'text/x-java-properties',
  md: 'text/markdown',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  html: 'text/html',
  css: 'text/css',
  json: 'application/json',
  ipynb: 'application/x-ipynb+json',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
}

const BINARY_TYPES: Readonly<Record<string, string>> = {
  jar: 'application/java-archive',
  zip: 'application/zip',
  whl: 'application/zip',
  gz: 'application/gzip',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  parquet: 'application/vnd.apache.parquet',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** The media type of a script's file, by its name and its bytes. */
export function mediaOf(
  name: string,
  bytes: Uint8Array,
): { readonly mimeType: string; readonly isText: boolean } {
  const isText = isTextual(bytes)
  const types = isText ? TEXT_TYPES : BINARY_TYPES
  const extension = extensionOf(name)
  const known = Object.hasOwn(types, extension) ? types[extension] : undefined
  return { mimeType: known ?? (isText ? 'text/plain' : 'application/octet-stream'), isText }
}

function isTextual(bytes: Uint8Array): boolean {
  try {
    return !BINARY.test(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return false
  }
}
