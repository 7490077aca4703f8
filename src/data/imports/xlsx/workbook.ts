import { Refusal } from '../../../lib/errors.ts'
import { readZip } from '../../../lib/zip/reader.ts'
import type { ZipBounds, ZipEntry } from '../../../lib/zip/reader.ts'
import type { ByteSource } from '../../../lib/zip/source.ts'
import { unreadable } from '../failure.ts'
import { readSheet } from './sheet.ts'
import type { SheetRow } from './sheet.ts'
import { PackedStrings, readStrings } from './strings.ts'
import { readStyles } from './styles.ts'
import { attributeOf, scanXml } from './xml.ts'

/** A workbook whose sheets were listed and not read yet. */
export type Workbook = {
  /** The names of the sheets of cells, in their order. */
  readonly sheets: readonly string[]
  readonly rows: (sheet: string) => AsyncGenerator<readonly SheetRow[]>
}

/** A sheet of a million rows has about a gigabyte. */
const BOUNDS: ZipBounds = {
  entriesMax: 10_000,
  unpackedMaxBytes: 2 * 1024 * 1024 * 1024,
  pathOf: (name) => name,
}
export const SHEETS_MAX = 1_000

type Relation = { readonly type: string; readonly path: string }

/** The parts of a package (ECMA-376, part 2) by their names, which have no letter case. */
class Parts {
  readonly #entries: ReadonlyMap<string, ZipEntry>

  constructor(entries: readonly ZipEntry[]) {
    this.#entries = new Map(entries.map((entry) => [entry.path.toLowerCase(), entry]))
  }

  /** @throws {Refusal} import_failed without it */
  read(path: string): AsyncIterable<Uint8Array> {
    const entry = this.#entries.get(path.toLowerCase())
    if (!entry) throw unreadable('The file is not an XLSX workbook: parts of it are missing.')
    return readable(entry.chunks())
  }

  /** The parts to which a part refers, or the package for an empty path, by the ids of the relations. */
  async relationsOf(path: string): Promise<ReadonlyMap<string, Relation>> {
    const [folder, file] = [path.slice(0, path.lastIndexOf('/') + 1), path.slice(path.lastIndexOf('/') + 1)]
    const relations = new Map<string, Relation>()
    await readTags(this.read(`${folder}_rels/${file}.rels`), (name, tag) => {
      if (name !== 'Relationship' || attributeOf(tag, 'TargetMode') === 'External') return
      const type = attributeOf(tag, 'Type') ?? ''
      const target = resolved(folder, attributeOf(tag, 'Target') ?? '')
      relations.set(attributeOf(tag, 'Id') ?? '', {
        type: type.slice(type.lastIndexOf('/') + 1),
        path: target,
      })
    })
    return relations
  }
}

/** Opens a workbook by its directory and lists its sheets. @throws {Refusal} import_failed */
export async function openWorkbook(source: ByteSource): Promise<Workbook> {
  const parts = new Parts(await asImport(() => readZip(source, BOUNDS)))
  const book = [...(await parts.relationsOf('')).values()].find(({ type }) => type === 'officeDocument')
  if (!book) throw unreadable('The file is not an XLSX workbook: parts of it are missing.')
  const relations = await parts.relationsOf(book.path)
  const { sheets, is1904 } = await readBook(parts.read(book.path), relations)
  const partOf = (wanted: string) => [...relations.values()].find(({ type }) => type === wanted)?.path
  return {
    sheets: [...sheets.keys()],
    async *rows(sheet) {
      const [styles, strings] = [partOf('styles'), partOf('sharedStrings')]
      const context = {
        is1904,
        styles: styles === undefined ? [] : await readStyles(parts.read(styles)),
        strings: strings === undefined ? new PackedStrings() : await readStrings(parts.read(strings)),
      }
      yield* readSheet(parts.read(sheets.get(sheet) ?? ''), context)
    },
  }
}

/** The paths of the sheets of cells by their names. */
async function readBook(
  chunks: AsyncIterable<Uint8Array>,
  relations: ReadonlyMap<string, Relation>,
): Promise<{ readonly sheets: ReadonlyMap<string, string>; readonly is1904: boolean }> {
  const sheets = new Map<string, string>()
  let is1904 = false
  await readTags(chunks, (name, tag) => {
    if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attributeOf(tag, 'date1904') ?? '')
    if (name !== 'sheet') return
    const found = relations.get(attributeOf(tag, 'id') ?? '')
    if (found?.type === 'worksheet') sheets.set(attributeOf(tag, 'name') ?? '', found.path)
    if (sheets.size > SHEETS_MAX) throw unreadable(`The workbook has more than ${SHEETS_MAX} sheets.`)
  })
  if (sheets.size === 0) throw unreadable('The workbook has no sheet of cells.')
  return { sheets, is1904 }
}

async function readTags(
  chunks: AsyncIterable<Uint8Array>,
  open: (name: string, tag: string) => void,
): Promise<void> {
  for await (const _ of scanXml(chunks, { open, text: () => undefined, close: () => undefined }));
}

/** A target such as `../media/a.png` or `/xl/workbook.xml`, from the folder of the part that refers to it. */
function resolved(folder: string, target: string): string {
  const steps: string[] = []
  for (const step of (target.startsWith('/') ? target : folder + target).split('/'))
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  return steps.join('/')
}

async function* readable(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await asImport(() => source.next())
      if (next.done === true) return
      yield next.value
    }
  } finally {
    await source.return?.()
  }
}

/** A ZIP archive that is not safe is a file that cannot be imported. */
async function asImport<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof Refusal && error.code === 'zip_unsafe' ? unreadable(error.detail) : error
  }
}
