import { fileTypeFromBuffer } from 'file-type/core'
import { extensionOf } from './filename.ts'

/** How much of a file is looked at: enough for the first entries of an office document. */
export const HEAD_BYTES = 64 * 1024

/** The type of what nobody says or sees what it is. */
const UNKNOWN_TYPE = 'application/octet-stream'

/** Contents as `file-type` calls them that a type of ours may have, or what texts of it look like. */
type Content = readonly string[] | RegExp

const TEXT = /^/
const ZIP = 'application/zip'
const COMPOUND = 'application/x-cfb'
const ASF = ['audio/x-ms-asf', 'video/x-ms-asf', 'application/vnd.ms-asf']
const MPEG_4 = ['video/mp4', 'audio/mp4', 'audio/x-m4a', 'video/x-m4v']
const OGG = ['audio/ogg', 'video/ogg', 'application/ogg', 'audio/ogg; codecs=opus']
const MOBILE = ['video/3gpp', 'video/3gpp2']
const HIGH_EFFICIENCY = ['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence']
const XML = /^\s*<[!?A-Za-z]/
const OFFICE = 'application/vnd.openxmlformats-officedocument'
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument'

/** Every type that is taken, with the contents that are of it and the extensions that stand for it. */
const TYPES: Readonly<Record<string, readonly [content: Content, ...extensions: string[]]>> = {
  'image/avif': [['image/avif'], 'avif'],
  'image/bmp': [['image/bmp'], 'bmp'],
  'image/gif': [['image/gif'], 'gif'],
  'image/heic': [HIGH_EFFICIENCY, 'heic'],
  'image/heif': [HIGH_EFFICIENCY, 'heif'],
  'image/jpeg': [['image/jpeg'], 'jpg', 'jpeg'],
  'image/jp2': [['image/jp2'], 'jp2'],
  'image/jpx': [['image/jpx', 'image/jp2'], 'jpx', 'jpf'],
  'image/jxl': [['image/jxl'], 'jxl'],
  'image/png': [['image/png', 'image/apng'], 'png'],
  'image/svg+xml': [/^\s*<(?:[!?][\s\S]*<)?(?:\w+:)?svg[\s>]/i, 'svg'],
  'image/tiff': [['image/tiff'], 'tif', 'tiff'],
  'image/vnd.microsoft.icon': [['image/x-icon'], 'ico'],
  'image/webp': [['image/webp'], 'webp'],
  'audio/3gpp': [MOBILE],
  'audio/3gpp2': [MOBILE],
  'audio/aac': [['audio/aac'], 'aac'],
  'audio/flac': [['audio/flac'], 'flac'],
  'audio/midi': [['audio/midi'], 'mid', 'midi'],
  'audio/mp4': [MPEG_4],
  'audio/mpeg': [['audio/mpeg'], 'mp3'],
  'audio/ogg': [OGG, 'ogg', 'oga'],
  'audio/opus': [['audio/ogg; codecs=opus'], 'opus'],
  'audio/wav': [['audio/wav'], 'wav'],
  'audio/webm': [['video/webm'], 'weba'],
  'audio/x-aiff': [['audio/aiff'], 'aif', 'aiff'],
  'audio/x-m4a': [MPEG_4, 'm4a'],
  'audio/x-ms-wma': [ASF, 'wma'],
  'video/3gpp': [MOBILE, '3gp'],
  'video/3gpp2': [MOBILE, '3g2'],
  'video/mp2t': [['video/mp2t'], 'ts', 'mts'],
  'video/mp4': [MPEG_4, 'mp4'],
  'video/mpeg': [['video/mpeg', 'video/MP1S', 'video/MP2P'], 'mpg', 'mpeg'],
  'video/ogg': [OGG, 'ogv'],
  'video/quicktime': [['video/quicktime'], 'mov'],
  'video/webm': [['video/webm'], 'webm'],
  'video/x-flv': [['video/x-flv'], 'flv'],
  'video/x-m4v': [MPEG_4, 'm4v'],
  'video/x-matroska': [['video/matroska'], 'mkv'],
  'video/x-ms-asf': [ASF, 'asf', 'wmv'],
  'video/x-msvideo': [['video/vnd.avi'], 'avi'],
  'application/ttml+xml': [/^\s*<(?:[!?][\s\S]*<)?(?:\w+:)?tt[\s>]/, 'ttml'],
  'application/x-subrip': [/^\s*\d+\s*\r?\n\s*\d/, 'srt'],
  'text/vtt': [/^WEBVTT(?=\s|$)/, 'vtt'],
  'text/plain': [TEXT, 'txt', 'log'],
  'text/csv': [TEXT, 'csv'],
  'text/markdown': [TEXT, 'md'],
  'application/json': [/^\s*[[{"\-\dtfn]/, 'json'],
  'application/xml': [XML, 'xml'],
  'text/xml': [XML],
  'application/yaml': [TEXT, 'yaml', 'yml'],
  'text/yaml': [TEXT],
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
  'application/vnd.apple.pages': [[ZIP], 'pages'],
  'application/vnd.apple.numbers': [[ZIP], 'numbers'],
  'application/vnd.apple.keynote': [[ZIP], 'key'],
}

/** The types that files may be of. */
export const ACCEPTED_TYPES: readonly string[] = Object.keys(TYPES)

/** The type that a file is kept as: the one that is declared, if it is taken and the beginning of the file is of it. Where
 * none is declared, the one that its extension or else its beginning stands for; and where neither says anything,
 * `application/octet-stream`. Null for what is not taken.
 * @param declared as in a Content-Type, with or without spaces and parameters; null where there is none */
export async function typeOf(
  declared: string | null,
  name: string,
  head: Uint8Array,
): Promise<string | null> {
  const type = bareType(declared ?? '')
  const seen = await contentOf(head)
  if (type !== '' && type !== UNKNOWN_TYPE) return fits(type, head, seen) ? type : null
  const byName = BY_EXTENSION.get(extensionOf(name))
  if (byName !== undefined && fits(byName, head, seen)) return byName
  if (seen !== null) return typeOfContent(seen)
  return byName === undefined ? UNKNOWN_TYPE : null
}

/** A media type without parameters and spaces, which some spell within it. */
function bareType(text: string): string {
  return text.replace(/;.*/s, '').replaceAll(/\s/g, '').toLowerCase()
}

/** Whether a browser may show what is of this type instead of keeping it: what can hold neither script nor text. */
export function isShown(type: string): boolean {
  return /^(?:image|audio|video)\//.test(type) && type !== 'image/svg+xml'
}

function fits(type: string, head: Uint8Array, seen: string | null): boolean {
  const [content] = Object.hasOwn(TYPES, type) ? (TYPES[type] ?? []) : []
  if (content instanceof RegExp) {
    const text = textOf(head)
    return text !== null && content.test(text)
  }
  return seen !== null && holds(type, seen)
}

function typeOfContent(seen: string): string | null {
  // Anything may be in these.
  if (seen === ZIP || seen === COMPOUND) return null
  if (Object.hasOwn(TYPES, seen)) return seen
  return ACCEPTED_TYPES.find((one) => holds(one, seen)) ?? null
}

function holds(type: string, seen: string): boolean {
  const [content] = TYPES[type] ?? []
  return Array.isArray(content) && content.includes(seen)
}

const BY_EXTENSION = new Map(
  Object.entries(TYPES).flatMap(([type, [, ...extensions]]) => extensions.map((one) => [one, type])),
)

/** The text of the beginning of a file, in UTF-16 where it says so; null where bytes are in it that no text has. What is no
 * UTF-8 may be in an encoding of old. */
function textOf(head: Uint8Array): string | null {
  const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  const encoding = head[0] === 0xfe ? 'utf-16be' : 'utf-16le'
  const text = new TextDecoder(isWide ? encoding : 'utf-8').decode(head)
  return BINARY.test(text) ? null : text
}

/** Control characters other than those that texts are set with. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const BINARY = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/

async function contentOf(head: Uint8Array): Promise<string | null> {
  // It fails for some of what is broken inside, which is then of no type that it knows.
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  return found?.mime ?? (isZip(head) ? ZIP : null)
}

/** Also where what `file-type` looks for comes later than the head ends. */
function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 0x03 && head[3] === 0x04
}
