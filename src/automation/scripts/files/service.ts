import { audited } from '../../../access/audit/service.ts'
import {
  markOrphaned,
  openBlob,
  putBlob,
  asExpiredUpload,
  claimBlobs,
  UPLOAD_MAX_MS,
} from '../../../content/blobs/service.ts'
import type { Context } from '../../../context.ts'
import { chunkOf } from '../../../lib/chunks.ts'
import { digestHex } from '../../../lib/digest.ts'
import { noSuch } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import type { ByteSpan } from '../../../ports/blobs.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { changerOf } from '../changer.ts'
import { detect } from '../detection.ts'
import { mediaOf } from '../media.ts'
import { nameOf } from '../path.ts'
import { changeScript, requireScript } from '../service/changes.ts'
import type { ScriptRow } from '../store.ts'
import {
  allDirectories,
  blobsBetween,
  changed,
  entriesAt,
  FILE_MAX_BYTES,
  moving,
  putting,
  removing,
  treeOf,
} from '../tree.ts'
import type { Tree, TreeChange, TreeEntry } from '../tree.ts'
import type { EntryView, MoveBody } from './schema.ts'
import * as store from './store.ts'

/** A precondition on the entry at a path; throws if it fails. Null stands for a missing entry, empty for a directory. */
export type Condition = (sha256: string | null) => void

/** Everything in the tree of a script, by path. @throws {Refusal} not_found */
export async function listTree({ ports }: Context, ref: string): Promise<EntryView[]> {
  const script = await requireScript(ports, ref)
  const tree = await readTree(ports, script.id)
  const implied = [...allDirectories(tree)].filter((path) => !tree.has(path)).map(directoryAt)
  const shown = [...tree.values(), ...implied].map((entry) => viewOf(ports, entry))
  return shown.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** A file of a script and how to read it. @throws {Refusal} not_found, also for a directory, and on reading unavailable */
export async function readTreeFile({ ports }: Context, ref: string, path: string) {
  const script = await requireScript(ports, ref)
  const entry = await store.findEntry(ports.database, script.id, path)
  const blob = entry?.blob
  if (!entry || blob == null) throw noSuch('file')
  return { file: viewOf(ports, entry), open: (span?: ByteSpan) => openBlob(ports, blob, span) }
}

/** Keeps a file in the tree, in place of the one that has the path.
 * @throws {Refusal} not_found, conflict where something else is in the way, invalid when the tree is full, what the
 * condition throws, unavailable while blobs cannot be put */
export async function saveTreeFile(
  context: Context,
  ref: string,
  {
    path,
    bytes,
    condition,
  }: { readonly path: string; readonly bytes: Uint8Array<ArrayBuffer>; readonly condition: Condition },
): Promise<{ file: EntryView; isNew: boolean }> {
  const { ports } = context
  const { id } = await requireScript(ports, ref)
  const entry = await putFile(ports, id, path, bytes)
  const { before } = await changeTree(context, id, {
    path,
    make(tree) {
      condition(shaAt(tree, path))
      return putting(tree, entry)
    },
  })
  return { file: viewOf(ports, entry), isNew: !before.has(path) }
}

/** Makes a directory that stays when nothing is in it. @throws {Refusal} not_found, conflict, invalid when the tree is full */
export async function makeDirectory(
  context: Context,
  ref: string,
  path: string,
): Promise<{ directory: EntryView; isNew: boolean }> {
  const { ports } = context
  const entry = { ...directoryAt(path), updatedAt: ports.clock.now() }
  const { before } = await changeTree(context, ref, {
    path,
    make: (tree) => (tree.get(path)?.isDirectory ? { removes: [], puts: [] } : putting(tree, entry)),
  })
  return { directory: viewOf(ports, before.get(path) ?? entry), isNew: !before.has(path) }
}

/** Takes a file away, or a directory with all that is in it. @throws {Refusal} not_found, what the condition throws */
export async function deleteFromTree(
  context: Context,
  ref: string,
  { path, condition }: { readonly path: string; readonly condition: Condition },
): Promise<void> {
  await changeTree(context, ref, {
    path,
    make(tree) {
      condition(shaAt(tree, path))
      return removing(tree, path)
    },
  })
}

/** Moves a file, or a directory with all that is in it. @throws {Refusal} not_found, conflict where something is in the way,
 * invalid for a path that cannot be */
export async function moveInTree(
  context: Context,
  ref: string,
  { from, to }: MoveBody,
): Promise<EntryView[]> {
  const { after } = await changeTree(context, ref, {
    path: from,
    pointer: '/to',
    told: { movedTo: to },
    make: (tree) => moving(tree, from, to),
  })
  return entriesAt(after, to).map((entry) => viewOf(context.ports, entry))
}

/** Puts bytes for a file of a script, or of one that is to come for null; nothing refers to them before a commit with
 * `treeWrites`.
 * @throws {Refusal} too_large for more than 10 MiB, unavailable while blobs cannot be put */
export async function putFile(
  ports: Ports,
  scriptId: number | null,
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<TreeEntry> {
  const sent = {
    prefix: `scripts/${scriptId ?? 'new'}`,
    chunks: chunkOf(bytes),
    sizeMaxBytes: FILE_MAX_BYTES,
  }
  const { key, sizeBytes } = await putBlob(ports, sent, AbortSignal.timeout(UPLOAD_MAX_MS))
  const sha256 = await digestHex(bytes)
  const media = mediaOf(nameOf(path), bytes)
  return { path, isDirectory: false, blob: key, sizeBytes, sha256, ...media, updatedAt: ports.clock.now() }
}

type Changing = {
  readonly path: string
  /** Points at what is at fault where the tree cannot be like that. */
  readonly pointer?: string
  readonly told?: object
  readonly make: (tree: Tree) => TreeChange
}

async function changeTree(
  context: Context,
  ref: number | string,
  { path, pointer = '{path}', told, make }: Changing,
): Promise<{ before: Tree; after: Tree }> {
  const { ports } = context
  const changing = changeScript(ports, ref, async (script) => {
    const before = await readTree(ports, script.id)
    const change = make(before)
    const after = changed(before, change, pointer)
    const entry = audited(context, {
      action: actionOf(before, after, path),
      objectType: 'script file',
      objectId: `${script.id}/${path}`,
      before: auditFieldsOf(before, path),
      after: told ?? auditFieldsOf(after, path),
    })
    return {
      change: { detection: detectionOf(after), ...changerOf(context.caller) },
      writes: [...treeWrites(ports, script, { before, change, after }), entry],
      resultOf: () => ({ before, after }),
    }
  })
  return changing.catch((error: unknown) => {
    throw asExpiredUpload(error)
  })
}

/** The rows and blobs that turn the former tree into the new one. They go into a commit of `changeScript`. */
export function treeWrites(
  ports: Ports,
  { id }: Pick<ScriptRow, 'id'>,
  { before, change, after }: { readonly before: Tree; readonly change: TreeChange; readonly after: Tree },
): Write[] {
  const { came, went } = blobsBetween(before, after)
  return [
    ...store.saveChange(ports.database, id, change),
    ...claimBlobs(ports, came),
    ...(went.length > 0 ? [markOrphaned(ports.database, went, ports.clock.now())] : []),
  ]
}

/** The tree of a script. */
export async function readTree({ database }: Ports, scriptId: number): Promise<Tree> {
  return treeOf(await store.listEntries(database, scriptId))
}

/** The program that runs a tree. */
export function detectionOf(tree: Tree) {
  return detect([...tree.values()].flatMap(({ path, isDirectory }) => (isDirectory ? [] : path)))
}

function shaAt(tree: Tree, path: string): string | null {
  return tree.get(path)?.sha256 ?? (entriesAt(tree, path).length > 0 ? '' : null)
}

function actionOf(before: Tree, after: Tree, path: string): string {
  if (entriesAt(after, path).length === 0) return 'delete'
  return before.has(path) ? 'update' : 'create'
}

function auditFieldsOf(tree: Tree, path: string): object | null {
  const entry = tree.get(path)
  if (entry) return { path, size: entry.sizeBytes, sha256: entry.sha256, mimeType: entry.mimeType }
  const below = entriesAt(tree, path).length
  return below > 0 ? { path, files: below } : null
}

/** A directory without a row of its own. */
export function directoryAt(path: string): TreeEntry {
  return {
    path,
    isDirectory: true,
    blob: null,
    sizeBytes: 0,
    sha256: '',
    mimeType: 'inode/directory',
    isText: false,
    updatedAt: 0,
  }
}

function viewOf({ settings }: Ports, entry: TreeEntry): EntryView {
  const { path, isDirectory, sizeBytes: size, mimeType, sha256, isText: text, updatedAt } = entry
  return {
    path,
    type: isDirectory ? 'directory' : 'file',
    size,
    mimeType,
    sha256,
    text,
    updatedAt: updatedAt === 0 ? null : timeFormat(settings.timeZone)(updatedAt),
  }
}
