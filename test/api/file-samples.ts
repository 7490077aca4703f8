/** The beginnings of files of every type that is taken: what programs write first, and no more of it than tells the type. */
export const SAMPLES: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  'image/avif': ftyp('avif'),
  'image/bmp': bytes('BM', 60),
  'image/gif': bytes('GIF89a', 20),
  'image/heic': ftyp('heic'),
  'image/heif': ftyp('mif1'),
  'image/jpeg': bytes('\xff\xd8\xff\xe0', 20),
  'image/jp2': bytes('\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14ftypjp2 ', 20),
  'image/jpx': bytes('\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14ftypjpx ', 20),
  'image/jxl': bytes('\xff\x0a', 20),
  'image/png': bytes(`\x89PNG\r\n\x1a\n\0\0\0\rIHDR${'\0'.repeat(17)}\0\0\0\0IDAT`, 20),
  'image/svg+xml': bytes(
    '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  ),
  'image/tiff': bytes('II*\0\x08\0\0\0\0\0', 20),
  'image/vnd.microsoft.icon': bytes('\0\0\x01\0\x01', 20),
  'image/webp': bytes('RIFF\x10\0\0\0WEBPVP8 ', 20),
  'audio/3gpp': ftyp('3gp5'),
  'audio/3gpp2': ftyp('3g2a'),
  'audio/aac': bytes('\xff\xf1\x50\x80', 20),
  'audio/flac': bytes('fLaC', 20),
  'audio/midi': bytes('MThd\0\0\0\x06', 20),
  'audio/mp4': ftyp('M4A '),
  'audio/mpeg': bytes('\xff\xfb\x90\x64', 20),
  'audio/ogg': ogg('\x01vorbis'),
  'audio/opus': ogg('OpusHead'),
  'audio/wav': bytes('RIFF\x10\0\0\0WAVEfmt ', 20),
  'audio/webm': ebml('webm'),
  'audio/x-aiff': bytes('FORM\0\0\0\x10AIFF', 20),
  'audio/x-m4a': ftyp('M4A '),
  'audio/x-ms-wma': bytes('\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9', 20),
  'video/3gpp': ftyp('3gp4'),
  'video/3gpp2': ftyp('3g2b'),
  'video/mp2t': bytes(`G${'\0'.repeat(187)}G`, 187),
  'video/mp4': ftyp('isom'),
  'video/mpeg': bytes('\0\0\x01\xba\x44', 20),
  'video/ogg': ogg('\x80theora'),
  'video/quicktime': ftyp('qt  '),
  'video/webm': ebml('webm'),
  'video/x-flv': bytes('FLV\x01', 20),
  'video/x-m4v': ftyp('M4V '),
  'video/x-matroska': ebml('matroska'),
  'video/x-ms-asf': bytes('\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9', 20),
  'video/x-msvideo': bytes('RIFF\x10\0\0\0AVI LIST', 20),
  'application/ttml+xml': bytes('<tt xmlns="http://www.w3.org/ns/ttml"></tt>'),
  'application/x-subrip': bytes('1\r\n00:00:01,000 --> 00:00:02,000\r\nHello\r\n'),
  'text/vtt': bytes('WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n'),
  'text/plain': bytes('BM is how this text begins, as if it were an image.\n'),
  'text/csv': bytes('a,b\r\n1,"x"\r\n'),
  'text/markdown': bytes('# Title\n'),
  'application/json': bytes('{"a": 1}'),
  'application/xml': bytes('<?xml version="1.0"?><a/>'),
  'text/xml': bytes('<a/>'),
  'application/yaml': bytes('a: 1\n'),
  'text/yaml': bytes('- a\n'),
  'application/pdf': bytes('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 20),
  'application/msword': compound(),
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': office(
    'word',
    'wordprocessingml.document.main',
  ),
  'application/vnd.ms-excel': compound(),
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': office(
    'xl',
    'spreadsheetml.sheet.main',
  ),
  'application/vnd.ms-powerpoint': compound(),
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': office(
    'ppt',
    'presentationml.presentation.main',
  ),
  'application/vnd.oasis.opendocument.text': zip({ mimetype: 'application/vnd.oasis.opendocument.text' }),
  'application/vnd.oasis.opendocument.spreadsheet': zip({
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
  }),
  'application/vnd.oasis.opendocument.presentation': zip({
    mimetype: 'application/vnd.oasis.opendocument.presentation',
  }),
  'application/rtf': bytes('{\\rtf1 Hello}'),
  'application/epub+zip': zip({ mimetype: 'application/epub+zip' }),
  'application/vnd.apple.pages': zip({ 'Index/Document.iwa': 'x' }),
  'application/vnd.apple.numbers': zip({ 'Index/Document.iwa': 'x' }),
  'application/vnd.apple.keynote': zip({ 'Index/Document.iwa': 'x' }),
}

/** The bytes of these characters, each below 256, and so many noughts. */
export function bytes(text: string, noughts = 0): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(text.length + noughts)
  for (let at = 0; at < text.length; at++) whole[at] = text.charCodeAt(at)
  return whole
}

/** A ZIP archive (APPNOTE) of texts, each stored as it is. */
export function zip(entries: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const parts = Object.entries(entries).map(([name, text]) => {
    const sizes = `${word(0)}${word(text.length)}${word(text.length)}`
    return `PK\x03\x04${half(20)}${half(0)}${half(0)}${word(0)}${sizes}${half(name.length)}${half(0)}${name}${text}`
  })
  return bytes(`${parts.join('')}PK\x05\x06`, 18)
}

function office(folder: string, kind: string): Uint8Array<ArrayBuffer> {
  const type = `application/vnd.openxmlformats-officedocument.${kind}+xml`
  const types = `<Types><Override PartName="/${folder}/main.xml" ContentType="${type}"/></Types>`
  return zip({ '[Content_Types].xml': types, [`${folder}/main.xml`]: '<x/>' })
}

function ftyp(brand: string): Uint8Array<ArrayBuffer> {
  return bytes(`\0\0\0\x18ftyp${brand}\0\0\0\0${brand}${brand}`, 20)
}

function ogg(codec: string): Uint8Array<ArrayBuffer> {
  return bytes(`OggS\0\x02${'\0'.repeat(20)}\x01\x1e${codec}`, 40)
}

function ebml(kind: string): Uint8Array<ArrayBuffer> {
  const kindElement = `\x42\x82${String.fromCharCode(0x80 + kind.length)}${kind}`
  return bytes(`\x1a\x45\xdf\xa3${String.fromCharCode(0x80 + kindElement.length)}${kindElement}`, 20)
}

function compound(): Uint8Array<ArrayBuffer> {
  return bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 600)
}

function half(number: number): string {
  return String.fromCharCode(number & 0xff, (number >> 8) & 0xff)
}

function word(number: number): string {
  return half(number & 0xffff) + half(number >>> 16)
}
