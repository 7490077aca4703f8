import { UPLOAD_MAX_MS } from '../../../content/blobs/service.ts'
import { joined } from '../../../lib/chunks.ts'
import { Refusal } from '../../../lib/errors.ts'
import { foldCase } from '../../../lib/text.ts'
import { readZip } from '../../../lib/zip/reader.ts'
import type { ZipEntry } from '../../../lib/zip/reader.ts'
import type { ByteSource } from '../../../lib/zip/source.ts'
import type { Ports } from '../../../ports/index.ts'
import { directoryAt } from '../../scripts/files/service.ts'
import { pathOf } from '../../scripts/path.ts'
import { scriptName } from '../../scripts/schema.ts'
import { changed, FILE_MAX_BYTES } from '../../scripts/tree.ts'
import { MANIFEST_FILE, METADATA_FILE, readManifest, readMetadata } from '../archive.ts'
import type { Metadata } from '../archive.ts'
import { bareName } from '../names.ts'
import { keep } from './temporary-blob.ts'

/** The maximum size of all archives of one call. */
export type PackageBounds = {
  readonly entriesMax: number
  readonly unpackedMaxBytes: number
  readonly scriptsMax: number
}

/** The edge makes two requests for each file that is kept, and some for each script; it may make 10,000 in one call. */
export const PACKAGE_BOUNDS: PackageBounds = {
  entriesMax: 4_000,
  unpackedMaxBytes: 500_000_000,
  scriptsMax: 200,
}

/** An uploaded archive: its place, and the name of its file. */
export type UploadedArchive = { readonly source: ByteSource; readonly file: string }

/** A script in an archive. */
export type FoundScript = {
  readonly file: string
  readonly name: string
  /** Null where the archive names none. */
  readonly group: string | null
  /** The tree of the script. */
  readonly entries: readonly ZipEntry[]
  readonly metadata: Metadata | null
}

/** A script of an archive that was refused; its name is null where it is not known. */
export type RefusedScript = { readonly file: string; readonly name: string | null; readonly refusal: Refusal }

/** An archive of a script, with the name and the group that the outer archive gives. */
type Candidate = {
  readonly file: string
  readonly told: { readonly name: string; readonly group: string } | null
  /** The content of the archive, or its entry; null for a missing archive. */
  readonly archive: readonly ZipEntry[] | ZipEntry | null
}

type Reading = (source: ByteSource) => Promise<ZipEntry[]>

/** Does something with each script of an archive, one after the other.
 * @returns the archives of many that were refused, by themselves or by `visit`
 * @throws {Refusal} what refuses an archive of one script; of many zip_unsafe for the archive as a whole, and invalid when it
 * has no or too many scripts or its manifest cannot be understood */
export async function eachScript(
  ports: Ports,
  { source, file, isMetadataRead }: UploadedArchive & { readonly isMetadataRead: boolean },
  visit: (found: FoundScript) => Promise<void>,
  bounds = PACKAGE_BOUNDS,
): Promise<RefusedScript[]> {
  const read = readingWithin(bounds)
  const candidates = await candidatesIn(await read(source), file)
  if (candidates.length === 0) throw refused('must contain a script')
  if (candidates.length > bounds.scriptsMax) throw refused(`must have at most ${bounds.scriptsMax} scripts`)
  const failed: RefusedScript[] = []
  const names = new Set<string>()
  for (const candidate of candidates) {
    let name = candidate.told?.name ?? null
    const take = async (archive: readonly ZipEntry[]) => {
      const found = await scriptIn(archive, candidate, isMetadataRead)
      name = found.name
      if (names.has(foldCase(name)))
        throw new Refusal('name_taken', 'The archive has another script with this name.')
      names.add(foldCase(name))
      await visit(found)
    }
    try {
      await withArchive(ports, read, { candidate, take })
    } catch (error) {
      // Of an archive of one script there is nothing else to tell.
      const isOne = candidate.archive !== null && !('chunks' in candidate.archive)
      if (isOne || !(error instanceof Refusal)) throw error
      failed.push({ file: candidate.file, name, refusal: error })
    }
  }
  return failed
}

/** The bytes of an entry. @throws {Refusal} zip_unsafe */
export async function bytesOf(entry: ZipEntry): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  for await (const chunk of entry.chunks()) chunks.push(chunk)
  return joined(chunks, entry.sizeBytes)
}

/** Reads archives that share the bounds. */
function readingWithin({ entriesMax, unpackedMaxBytes }: PackageBounds): Reading {
  let [entriesLeft, leftBytes] = [entriesMax, unpackedMaxBytes]
  return async (source) => {
    const entries = await readZip(source, { entriesMax: entriesLeft, unpackedMaxBytes: leftBytes, pathOf })
    entriesLeft -= entries.length
    leftBytes -= entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    return entries
  }
}

/** An archive with our manifest, or of nothing but archives, has many scripts; any other one is a script. */
async function candidatesIn(entries: readonly ZipEntry[], file: string): Promise<Candidate[]> {
  const files = entries.filter(({ isDirectory }) => !isDirectory)
  const listing = files.find(({ path }) => path === MANIFEST_FILE)
  const manifest = listing ? readManifest(await smallBytesOf(listing)) : null
  const others = files.filter((entry) => manifest === null || entry !== listing)
  const isOfMany =
    manifest !== null || (others.length > 0 && others.every(({ path }) => /\.zip$/i.test(path)))
  if (!isOfMany) return entries.length === 0 ? [] : [{ file, told: null, archive: entries }]
  const listed = new Map(manifest?.scripts.map((told) => [told.file, told]))
  const there = new Set(others.map(({ path }) => path))
  const missing = [...listed.values()].filter((told) => !there.has(told.file))
  return [
    ...others.map((entry) => ({ file: entry.path, told: listed.get(entry.path) ?? null, archive: entry })),
    ...missing.map((told) => ({ file: told.file, told, archive: null })),
  ]
}

async function withArchive(
  ports: Ports,
  read: Reading,
  {
    candidate: { archive },
    take,
  }: { readonly candidate: Candidate; readonly take: (entries: readonly ZipEntry[]) => Promise<void> },
): Promise<void> {
  if (archive === null)
    throw new Refusal('invalid', 'The manifest lists this file, but the archive does not contain it.')
  if (!('chunks' in archive)) return take(archive)
  const kept = {
    chunks: archive.chunks(),
    sizeMaxBytes: archive.sizeBytes,
    signal: AbortSignal.timeout(UPLOAD_MAX_MS),
  }
  const { source, release } = await keep(ports, kept)
  try {
    await take(await read(source))
  } finally {
    await release()
  }
}

async function scriptIn(
  archive: readonly ZipEntry[],
  { file, told }: Candidate,
  isMetadataRead: boolean,
): Promise<FoundScript> {
  const entries = archive.filter(({ path }) => path !== METADATA_FILE)
  const set = archive.find((entry) => entry.path === METADATA_FILE && !entry.isDirectory)
  const metadata = set && isMetadataRead ? readMetadata(await smallBytesOf(set)) : null
  const name = requireName(told?.name ?? metadata?.name ?? bareName(file))
  refuseTree(entries)
  return { file, name, group: told?.group ?? metadata?.group ?? null, entries, metadata }
}

function requireName(text: string): string {
  const name = scriptName.safeParse(text)
  if (name.success) return name.data
  const message = name.error.issues[0]?.message ?? 'is not a valid script name'
  throw new Refusal(
    'invalid',
    'The file name of the archive is not a valid script name. Rename the archive.',
    [{ pointer: '/name', message }],
  )
}

/** Looks whether entries can be the tree of a script, before any of them is read. */
function refuseTree(entries: readonly ZipEntry[]): void {
  const tree = entries.map(({ path, isDirectory, sizeBytes }) => ({
    ...directoryAt(path),
    isDirectory,
    sizeBytes,
  }))
  changed(new Map(), { removes: [], puts: tree }, '/file')
  if (entries.some(({ sizeBytes }) => sizeBytes > FILE_MAX_BYTES)) throw largeFile()
}

function smallBytesOf(entry: ZipEntry): Promise<Uint8Array> {
  if (entry.sizeBytes > FILE_MAX_BYTES) throw largeFile()
  return bytesOf(entry)
}

function largeFile(): Refusal {
  return refused(`must have files of at most ${FILE_MAX_BYTES} bytes`)
}

function refused(message: string): Refusal {
  return new Refusal('invalid', 'The archive is invalid; see errors.', [{ pointer: '/file', message }])
}
