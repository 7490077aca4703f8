import { deflateRawSync } from 'node:zlib'
import { craft, DEFLATED, DESCRIBED, join, STORED, u16, u32, utf8, UTF_8 } from './crafted.ts'
import type { End, Part } from './crafted.ts'

/** An archive that has to be refused, and the same but for what is wrong with it, which has to be taken. */
export type Hostile = {
  readonly title: string
  readonly evil: Uint8Array<ArrayBuffer>
  readonly twin: Uint8Array<ArrayBuffer>
  /** The text of the refusal. */
  readonly says: RegExp
}

/** So that each of them, and each twin, would be a script but for what is wrong. */
const MAIN: Part = { name: 'main.py', data: 'print(1)' }
const LONG = 'x'.repeat(255)
const MIB = 1024 * 1024

const part = (more: Partial<Part>): Part => ({ name: 'a.txt', data: 'a text', ...more })
const packed = (more: Partial<Part> = {}): Part =>
  part({ data: 'a text '.repeat(20), method: DEFLATED, ...more })

function archive(parts: readonly Part[], end?: End): Uint8Array<ArrayBuffer> {
  return craft([MAIN, ...parts], end)
}

function hostile(
  title: string,
  says: RegExp,
  [evil, twin]: readonly [Part | Part[], Part | Part[]],
): Hostile {
  return { title, says, evil: archive([evil].flat()), twin: archive([twin].flat()) }
}

/** A name that is no path, and one that is. */
function named(title: string, evil: string | Uint8Array, twin: string): Hostile {
  return hostile(title, /is not a path inside the archive/, [part({ name: evil }), part({ name: twin })])
}

function ended(title: string, says: RegExp, [evil, twin]: readonly [End, End?]): Hostile {
  return { title, says, evil: archive([part({})], evil), twin: archive([part({})], twin) }
}

const names: readonly Hostile[] = [
  named('a way out', '../a.txt', 'a.txt'),
  named('a way out from within', 'b/../../a.txt', 'b/a.txt'),
  named('a way out at the end', 'b/..', 'b/a..'),
  named('an absolute path', '/a.txt', 'a.txt'),
  named('a backslash', 'b\\a.txt', 'b/a.txt'),
  named('a way out with backslashes', '..\\..\\a.txt', 'b/a.txt'),
  named('another machine', '\\\\host\\share\\a.txt', 'host/share/a.txt'),
  named('a lone dot', './a.txt', 'b/a.txt'),
  named('a dot in the middle', 'b/./a.txt', 'b/.a.txt'),
  named('a name that is empty', '', 'a'),
  named('an empty name in the middle', 'b//a.txt', 'b/a.txt'),
  hostile('nothing but a slash', /is not a path inside the archive/, [
    part({ name: '/', data: '' }),
    part({ name: 'b/', data: '' }),
  ]),
  named('a NUL', 'a.txt\0.py', 'a.txt.py'),
  named('a line break', 'a\nb', 'a b'),
  named('a name that is too long', `${LONG}x`, LONG),
  hostile('a name in another encoding', /not in UTF-8/, [
    part({ name: Uint8Array.of(0x66, 0x81, 0x72), flags: UTF_8 }),
    part({ name: Uint8Array.of(0x66, 0x81, 0x72) }),
  ]),
  hostile('a name twice', /the name of another entry/, [
    [part({}), part({ data: 'another' })],
    [part({}), part({ name: 'b.txt', data: 'another' })],
  ]),
  hostile('names that differ in case', /the name of another entry/, [
    [part({}), part({ name: 'A.TXT' })],
    [part({}), part({ name: 'B.TXT' })],
  ]),
  hostile('names that differ in composition', /the name of another entry/, [
    [part({ name: 'é' }), part({ name: 'e\u0301' })],
    [part({ name: 'é' }), part({ name: 'e' })],
  ]),
  hostile('a file and a directory of one name', /the name of another entry/, [
    [part({ name: 'b' }), part({ name: 'b/', data: '' })],
    [part({ name: 'b' }), part({ name: 'c/', data: '' })],
  ]),
  hostile('a file in a file', /lies below a file/, [
    [part({ name: 'b' }), part({ name: 'b/a.txt' })],
    [part({ name: 'b/', data: '' }), part({ name: 'b/a.txt' })],
  ]),
  hostile('a file in a file of another case', /lies below a file/, [
    [part({ name: 'c/b' }), part({ name: 'C/B/d/a.txt' })],
    [part({ name: 'c/b' }), part({ name: 'C/E/d/a.txt' })],
  ]),
]

const LINK = 0o120777 * 0x10000
const kinds: readonly Hostile[] = [
  hostile('a symbolic link', /a link or a special file/, [
    part({ data: '/etc/passwd', attributes: LINK }),
    part({ data: '/etc/passwd', attributes: 0o100777 * 0x10000 }),
  ]),
  hostile('a symbolic link that says it is from DOS', /a link or a special file/, [
    part({ data: '/etc/passwd', attributes: LINK, system: 0 }),
    part({ data: '/etc/passwd', attributes: 0x20, system: 0 }),
  ]),
  hostile('a symbolic link to a directory', /a link or a special file/, [
    part({ name: 'b/', data: '', attributes: LINK }),
    part({ name: 'b/', data: '', attributes: 0o40755 * 0x10000 + 0x10 }),
  ]),
  ...([0o010644, 0o020644, 0o060644, 0o140644] as const).map((mode) =>
    hostile(`something of the kind ${mode.toString(8)}`, /a link or a special file/, [
      part({ attributes: mode * 0x10000 }),
      part({ attributes: 0o100644 * 0x10000 }),
    ]),
  ),
  hostile('a directory without a slash', /a link or a special file/, [
    part({ name: 'b', data: '', attributes: 0o40755 * 0x10000 }),
    part({ name: 'b', data: '', attributes: 0o100755 * 0x10000 }),
  ]),
  hostile('a directory with bytes', /a directory, but has content/, [
    part({ name: 'b/', data: 'x' }),
    part({ name: 'b', data: 'x' }),
  ]),
]

const packing: readonly Hostile[] = [
  hostile('encryption', /encrypted/, [packed({ flags: 1 }), packed()]),
  hostile('strong encryption', /encrypted/, [packed({ flags: 1 << 6 }), packed({ flags: 1 << 1 })]),
  hostile('a masked header', /encrypted/, [packed({ flags: 1 << 13 }), packed({ flags: 1 << 11 })]),
  hostile('patches', /unknown flags/, [packed({ flags: 1 << 5 }), packed({ flags: 1 << 2 })]),
  ...([1, 9, 12, 14, 95, 99] as const).map((method) =>
    hostile(`the method ${method}`, /must be stored or packed with deflate/, [packed({ method }), packed()]),
  ),
  hostile('a bomb', /more than 100 times/, [
    packed({ data: new Uint8Array(MIB + 1) }),
    packed({ data: new Uint8Array(MIB) }),
  ]),
  hostile('a bomb that hides its size', /does not match its header/, [
    packed({ data: new Uint8Array(64 * MIB), sizeBytes: MIB }),
    packed({ data: new Uint8Array(MIB) }),
  ]),
  hostile('more bytes than told', /does not match its header/, [packed({ sizeBytes: 139 }), packed()]),
  hostile('fewer bytes than told', /does not match its header/, [packed({ sizeBytes: 141 }), packed()]),
  hostile('a size of nought', /does not match its header/, [packed({ sizeBytes: 0 }), packed()]),
  hostile('stored bytes of two sizes', /stored, but its two sizes differ/, [
    part({ sizeBytes: 2 }),
    part({ sizeBytes: 6 }),
  ]),
  hostile('another sum of what is stored', /does not match its header/, [part({ crc: 1 }), part({})]),
  hostile('another sum of what is packed', /does not match its header/, [packed({ crc: 1 }), packed()]),
  hostile('bytes that are not deflated', /does not match its header/, [
    packed({ raw: Uint8Array.of(7, 7, 7, 7) }),
    packed(),
  ]),
  hostile('deflated bytes without their end', /does not match its header/, [
    packed({ raw: deflateRawSync('a text '.repeat(20)).subarray(0, 8) }),
    packed(),
  ]),
]

const body = craft([part({})]).subarray(0, 41)
const headers: readonly Hostile[] = [
  hostile('bytes that two entries share', /overlaps/, [
    [part({}), part({ name: 'b.txt', isOnlyListed: true, offsetBytes: 45 })],
    [part({}), part({ name: 'b.txt' })],
  ]),
  hostile('an entry within another one', /overlaps/, [
    [part({ name: 'b.zip', data: body }), part({ isOnlyListed: true, offsetBytes: 45 + 35 })],
    [part({ name: 'b.zip', data: body }), part({})],
  ]),
  hostile('an entry that reaches into the next', /overlaps/, [
    [packed({ packedBytes: 60 }), packed({ name: 'b.txt' })],
    [packed(), packed({ name: 'b.txt' })],
  ]),
  hostile('an entry that reaches into the directory', /overlaps|two sizes/, [
    packed({ packedBytes: 60 }),
    packed(),
  ]),
  hostile('an entry in the directory', /overlaps|belong to no entry/, [
    part({ offsetBytes: 60, isOnlyListed: true }),
    part({}),
  ]),
  hostile('an entry behind the archive', /overlaps|belong to no entry/, [
    part({ offsetBytes: 1 << 30, isOnlyListed: true }),
    part({}),
  ]),
  ...(
    [
      ['another name', { name: 'b.txt' }],
      ['a longer name', { name: 'a.txt.py' }],
      ['another method', { method: DEFLATED }],
      ['another size', { sizeBytes: 7 }],
      ['another packed size', { packedBytes: 7 }],
      ['another sum', { crc: 1 }],
      ['no size, although none follows', { sizeBytes: 0, packedBytes: 0, crc: 0 }],
      ['other flags', { flags: 1 << 11 }],
      ['another signature', { signature: 0x04034b51 }],
    ] as const
  ).map(([what, local]) =>
    hostile(`a header in front that tells of ${what}`, /two headers .* differ|overlaps/, [
      part({ method: STORED, local }),
      part({}),
    ]),
  ),
  hostile('something else behind an entry', /two headers .* differ/, [
    packed({ flags: DESCRIBED, descriptor: join([u32(0x08074b50), u32(1), u32(2), u32(3)]) }),
    packed({ descriptor: 16 }),
  ]),
  hostile('nothing behind an entry that says so', /two headers .* differ/, [
    packed({ flags: DESCRIBED, local: { crc: 0, packedBytes: 0, sizeBytes: 0 } }),
    packed({ descriptor: 12 }),
  ]),
  hostile('bytes between entries', /belong to no entry/, [
    [part({}), part({ name: 'b.txt', gap: utf8('hidden') })],
    [part({}), part({ name: 'b.txt', extra: join([u16(0xcafe), u16(2), u16(0)]) })],
  ]),
  hostile('an entry that is not listed', /belong to no entry/, [
    [part({ isUnlisted: true }), part({ name: 'b.txt' })],
    [part({}), part({ name: 'b.txt' })],
  ]),
  hostile('one in another part of the archive', /split over several files/, [
    part({ disk: 1 }),
    part({ disk: 0 }),
  ]),
  hostile('a size of ZIP64', /ZIP64/, [packed({ sizeBytes: 0xffffffff }), packed()]),
  hostile('a packed size of ZIP64', /ZIP64/, [packed({ packedBytes: 0xffffffff }), packed()]),
  hostile('a place of ZIP64 in the directory', /ZIP64/, [
    part({ offsetBytes: 0xffffffff, isOnlyListed: true }),
    part({}),
  ]),
  hostile('a size of ZIP64 in front', /ZIP64/, [
    packed({ local: { sizeBytes: 0xffffffff, packedBytes: 0xffffffff } }),
    packed(),
  ]),
  hostile('much that is said of little', /larger than its entries need/, [
    part({ comment: new Uint8Array(5_000) }),
    part({ comment: new Uint8Array(3_000) }),
  ]),
  hostile('a damaged directory', /central directory .* is damaged/, [
    part({ signature: 0x02014b51 }),
    part({}),
  ]),
]

const ends: readonly Hostile[] = [
  ended('bytes before the directory', /belong to no entry/, [{ before: utf8('hidden') }]),
  ended('bytes behind the directory', /not where its end record says/, [{ between: utf8('hidden') }]),
  ended('bytes behind the end', /not a ZIP archive/, [{ after: utf8('hidden') }, { comment: utf8('shown') }]),
  ended('a comment that is longer than it says', /not a ZIP archive/, [
    { comment: utf8('a comment'), commentBytes: 3 },
    { comment: utf8('a comment') },
  ]),
  ended('another end in its comment', /not where its end record says/, [
    { comment: craft([]) },
    { comment: utf8('PK\x05\x07'.padEnd(22)) },
  ]),
  ended('fewer entries than it says', /fewer or more entries/, [{ here: 3, total: 3 }]),
  ended('more entries than it says', /fewer or more entries|larger than its entries/, [
    { here: 1, total: 1 },
  ]),
  ended('entries elsewhere', /split over several files/, [{ here: 1, total: 2 }]),
  ended('parts elsewhere', /split over several files/, [{ disk: 1 }]),
  ended('a directory that begins elsewhere', /not where its end record says/, [{ offsetBytes: 0 }]),
  ended('a directory of another size', /not where its end record says/, [{ sizeBytes: 46 }]),
  ended('a count of ZIP64', /ZIP64/, [{ here: 0xffff, total: 0xffff }]),
  ended('a place of ZIP64', /ZIP64/, [{ offsetBytes: 0xffffffff }]),
  ended('an end of ZIP64 in front of its end', /ZIP64/, [
    { between: join([u32(0x07064b50), new Uint8Array(16)]) },
  ]),
  {
    title: 'bytes in front that nothing counts',
    says: /not where its end record says/,
    evil: join([utf8('#!/bin/sh\n'), archive([])]),
    twin: archive([]),
  },
  {
    title: 'bytes in front',
    says: /belong to no entry/,
    evil: craft([{ ...MAIN, gap: utf8('#!/bin/sh\n') }]),
    twin: archive([]),
  },
  { title: 'no end', says: /not a ZIP archive/, evil: archive([]).subarray(0, -1), twin: archive([]) },
  { title: 'nothing', says: /not a ZIP archive/, evil: new Uint8Array(), twin: archive([]) },
  {
    title: 'a text',
    says: /not a ZIP archive/,
    evil: utf8('PK is how this text begins'.repeat(9)),
    twin: archive([]),
  },
]

/** Archives that nobody should unpack, each with a harmless one that is as like it as can be. */
export const HOSTILE: readonly Hostile[] = [...names, ...kinds, ...packing, ...headers, ...ends]
