import { open } from 'node:fs/promises'

import { ImportFailure } from '../../../src/data/imports/failure.ts'
import { inspectFile } from '../../../src/data/imports/file.ts'
import { Refusal } from '../../../src/lib/errors.ts'
import type { ByteSource } from '../../../src/lib/zip/source.ts'
import { edit } from './child-edit.ts'
import { load } from './child-load.ts'
import { reshape } from './child-reshape.ts'
import { Query, QueryFailure } from './child-query.ts'
import type { FileChange, FileTask, FromChild, QueryTask, TaskFailure, ToChild } from './messages.ts'

/** Rows that may be on their way before the parent asks for more, in batches. */
const WINDOW = 4
const PR_SET_PDEATHSIG = 1
const SIGKILL = 9

let query: Query | null = null
let credit = WINDOW
let wake: (() => void) | null = null
const { promise: fileSize, resolve: endFile } = Promise.withResolvers<number>()

/** Runs the tasks that the parent sends, until it ends this process. */
export function runTasks(): void {
  process.on('message', (message: ToChild) => {
    if (message.kind === 'interrupt') query?.interrupt()
    else if (message.kind === 'file-end') endFile(message.sizeBytes)
    else if (message.kind === 'more') {
      credit += 1
      wake?.()
    } else runTask(message).catch(report)
  })
  process.on('disconnect', () => process.exit(0))
  send({ kind: 'ready' })
}

async function runTask(task: QueryTask | FileTask | FileChange): Promise<void> {
  if (task.kind === 'edit') return send({ kind: 'done', edited: await edit(task) })
  if (task.kind === 'reshape') return send({ kind: 'done', reshaped: await reshape(task) })
  if (task.kind !== 'query') return send(await runFile(task))
  credit = WINDOW
  query = new Query(task)
  try {
    await query.run(send, more)
  } finally {
    query = null
  }
  send({ kind: 'done' })
}

function report(error: unknown): void {
  send({ kind: 'failed', ...failureOf(error) })
}

async function runFile(task: FileTask): Promise<FromChild> {
  const file = { chunks: fileBytes(), source: () => spooled(fileBytes(), task.scratch) }
  if (task.kind === 'load') return { kind: 'done', counts: await load(file, task) }
  return { kind: 'done', contents: await inspectFile(file, task.file, task.values) }
}

/** A file that comes, kept so that it can be read from any place on. The parent removes it. */
async function spooled(chunks: AsyncIterable<Uint8Array>, path: string): Promise<ByteSource> {
  const file = await open(path, 'wx+', 0o600)
  let sizeBytes = 0
  for await (const chunk of chunks) {
    await file.write(chunk)
    sizeBytes += chunk.length
  }
  return {
    sizeBytes,
    async read(offsetBytes, spanBytes) {
      const bytes = new Uint8Array(spanBytes)
      const { bytesRead } = await file.read(bytes, 0, spanBytes, offsetBytes)
      if (bytesRead !== spanBytes) throw new Error('The file was cut off.')
      return bytes
    },
  }
}

/** The file as it comes; ends well only after as many bytes as the parent has sent. */
async function* fileBytes(): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0
  for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.length
    yield chunk
  }
  if (sizeBytes !== (await fileSize)) throw new Error('The file was cut off.')
}

async function more(): Promise<void> {
  while (credit === 0) await new Promise<void>((resolve) => (wake = resolve))
  credit -= 1
}

function send(message: FromChild): void {
  process.send?.(message)
}

function failureOf(error: unknown): TaskFailure {
  if (error instanceof QueryFailure) return error.failure
  if (error instanceof ImportFailure)
    return { code: 'import_failed', message: error.message, faults: error.faults }
  if (error instanceof Refusal && error.code === 'import_failed')
    return { code: error.code, message: error.detail, errors: error.errors }
  return {
    code: 'internal',
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  }
}

/** A child that plans a statement does not notice that its parent has gone: the kernel ends it, where it is Linux with glibc. */
export function endWithParent(prctl: (option: number, signal: number) => void): void {
  try {
    prctl(PR_SET_PDEATHSIG, SIGKILL)
  } catch {
    // Elsewhere `disconnect` ends it when the statement is planned.
  }
}
