import { DOCUMENTS, JSON_TEXT, MediaTypes, TEXT, XML, ZIP } from './media-types.ts'
import type { TypeTable } from './media-types.ts'

const ASF = ['audio/x-ms-asf', 'video/x-ms-asf', 'application/vnd.ms-asf']
const MPEG_4 = ['video/mp4', 'audio/mp4', 'audio/x-m4a', 'video/x-m4v']
const OGG = ['audio/ogg', 'video/ogg', 'application/ogg', 'audio/ogg; codecs=opus']
const MOBILE = ['video/3gpp', 'video/3gpp2']
const HIGH_EFFICIENCY = ['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence']

/** Every type that is taken, with the contents that are of it and the extensions that stand for it. */
const TYPES: TypeTable = {
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
  'application/json': [JSON_TEXT, 'json'],
  'application/xml': [XML, 'xml'],
  'text/xml': [XML],
  'application/yaml': [TEXT, 'yaml', 'yml'],
  'text/yaml': [TEXT],
  ...DOCUMENTS,
  'application/vnd.apple.pages': [[ZIP], 'pages'],
  'application/vnd.apple.numbers': [[ZIP], 'numbers'],
  'application/vnd.apple.keynote': [[ZIP], 'key'],
}

/** The types that uploaded files may be of (specification: Limits). */
export const FILE_TYPES = new MediaTypes(TYPES)

/** Whether a browser may show a file of this type instead of storing it: no script and no text can be in such a file. */
export function isShown(type: string): boolean {
  return /^(?:image|audio|video)\//.test(type) && type !== 'image/svg+xml'
}
