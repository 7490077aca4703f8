import { fileTypeFromBuffer } from 'file-type/core'
import { extensionOf } from './filename.ts'

/** The bytes of a file that are inspected: enough for the first entries of an office document. */
export const HEAD_BYTES = 64 * 1024

/** The type of a file without a declared or detected one. */
const UNKNOWN_TYPE = 'application/octet-stream'

/** The content of a media type: the types that `file-type` detects for it, a pattern of its texts, or a check of the first bytes
 * of a file. */
export type Content = readonly string[] | RegExp | ((head: Uint8Array) => boolean)

/** Any text. */
export const TEXT = /^/
export const XML = /^\s*<[!?A-Za-z]/
export const ZIP = 'application/zip'
const COMPOUND = 'application/x-cfb'

/** The first characters of JSON. */
export const JSON_TEXT = /^\s*[[{"\-\dtfn]/

/** Types with the contents that are of each, and the extensions that stand for it. */
export type TypeTable = Readonly<Record<string, readonly [content: Content, ...extensions: string[]]>>

const OFFICE = 'application/vnd.openxmlformats-officedocument'
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument'

/** Documents that are taken wherever files are. */
export const DOCUMENTS: TypeTable = {
  'application/pdf': [['application/pdf'], 'pdf'],
  'application/msword': [[COMPOUND], 'doc'],
  [`${OFFICE}.wordprocessingml.document`]: [[`${OFFICE}.wordprocessingml.document`, ZIP], 'docx'],
  'application/vnd.ms-excel': [[COMPOUND], 'xls'],
  [`${OFFICE}.spreadsheetml.sheet`]: [[`${OFFICE}.spreadsheetml.sheet`, ZIP], 'xlsx'],
  'application/vnd.ms-powerpoint': [[COMPOUND], 'ppt'],
  [`${OFFICE}.presentationml.presentation`]: [[`${OFFICE}.presentationml.presentation`, ZIP], 'pptx'],
  [`${OPEN_DOCUMENT}.text`]: [[`${OPEN_DOCUMENT}.text`], 'odt'],
  [`${OPEN_DOCUMENT}.spreadsheet`]: [[`${OPEN_DOCUMENT}.spreadsheet`], 'ods'],
  [`${OPEN_DOCUMENT}.presentation`]: [[`${OPEN_DOCUMENT}.presentation`], 'odp'],
  'application/rtf': [['application/rtf'], 'rtf'],
  'application/epub+zip': [['application/epub+zip'], 'epub'],
}

/** The media types that a route accepts, and the contents of each. */
export class MediaTypes {
  /** Every type that is taken. */
  readonly accepted: readonly string[]
  readonly #table: ReadonlyMap<string, Content>
  readonly #byExtension: ReadonlyMap<string, string>

  constructor(table: TypeTable) {
    const types = Object.entries(table)
    this.accepted = types.map(([type]) => type)
    this.#table = new Map(types.map(([type, [content]]) => [type, content]))
    this.#byExtension = new Map(
      types.flatMap(([type, [, ...extensions]]) => extensions.map((one) => [one, type] as const)),
    )
  }

  /** The type that a file is kept as: the one that is declared, if it is taken and the beginning of the file is of it.
   * Where none is declared, the one that its extension or else its beginning stands for; and where neither says anything,
   * `application/octet-stream`. Null for what is not taken.
   * @param declared as in a Content-Type, with or without spaces and parameters; null without one */
  async typeOf(declared: string | null, name: string, head: Uint8Array): Promise<string | null> {
    const type = bareType(declared ?? '')
    const seen = await contentOf(head)
    if (type !== '' && type !== UNKNOWN_TYPE) return this.#fits(type, head, seen) ? type : null
    const byName = this.#byExtension.get(extensionOf(name))
    if (byName !== undefined && this.#fits(byName, head, seen)) return byName
    if (seen !== null) return this.#typeOfContent(seen)
    return byName === undefined ? UNKNOWN_TYPE : null
  }

  #fits(type: string, head: Uint8Array, seen: string | null): boolean {
    const content = this.#table.get(type)
    if (typeof content === 'function') return content(head)
    if (content instanceof RegExp) {
      const text = textOf(head)
      return text !== null && content.test(text)
    }
    return seen !== null && this.#holds(type, seen)
  }

  #typeOfContent(seen: string): string | null {
    // Anything may be in these.
    if (seen === ZIP || seen === COMPOUND) return null
    if (this.#table.has(seen)) return seen
    return this.accepted.find((one) => this.#holds(one, seen)) ?? null
  }

  #holds(type: string, seen: string): boolean {
    const content = this.#table.get(type)
    return Array.isArray(content) && content.includes(seen)
  }
}

/** A media type without parameters and spaces, which some spell within it. */
function bareType(text: string): string {
  return text.replace(/;.*/s, '').replaceAll(/\s/g, '').toLowerCase()
}

/** The text of the beginning of a file, in UTF-16 where it says so; null where bytes are in it that no text has. Bytes that are not
 * UTF-8 may be text in an older encoding. */
function textOf(head: Uint8Array): string | null {
  const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  const encoding = head[0] === 0xfe ? 'utf-16be' : 'utf-16le'
  const text = new TextDecoder(isWide ? encoding : 'utf-8').decode(head)
  return BINARY.test(text) ? null : text
}

/** Control characters other than those that texts are set with. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
export const BINARY = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/

async function contentOf(head: Uint8Array): Promise<string | null> {
  // The library throws for some broken files; these have an unknown type.
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  return found?.mime ?? (isZip(head) ? ZIP : null)
}

/** Whether a file is a ZIP archive. `file-type` needs parts of an archive that may follow after the head. */
function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 0x03 && head[3] === 0x04
}
