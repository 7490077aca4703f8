import { useEffect, useRef, useState } from 'preact/hooks'

import { call, jsonOf, upload as sendFile, urlOf } from '../../api/client.ts'
import type { Answer, Call } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { follow } from '../../api/operations.ts'
import { invalidate } from '../../api/resource.ts'
import { timeZone } from '../../kit/time.tsx'
import { columnsOf, formatBody, formatOf, importBody, tableNameOf } from './import-plan.ts'
import type { ColumnPlan, Format, ImportResult, Preview, Target } from './import-plan.ts'

/** Changes of the format are read once the user has stopped typing. */
const SETTLE_MS = 500

type Work = { readonly kind: 'sending' | 'reading' | 'importing'; readonly progress: number | null }
type Uploaded = { readonly file: File; readonly sourceId: number; readonly id: string }

export type FileImport = {
  readonly file: File | null
  readonly sourceId: number | null
  readonly format: Format
  readonly preview: Preview | null
  readonly columns: readonly ColumnPlan[]
  readonly target: Target
  readonly work: Work | null
  readonly failure: Failure | null
  readonly result: ImportResult | null
  /** Uploads a file to a data source and reads it. */
  readonly choose: (file: File, sourceOf: () => Promise<number>) => Promise<void>
  readonly changeFormat: (part: Partial<Format>) => void
  readonly changeColumns: (columns: readonly ColumnPlan[]) => void
  readonly changeTarget: (part: Partial<Target>) => void
  readonly start: () => Promise<void>
  readonly cancel: () => void
}

/** The steps of an import: upload, preview, corrections, the import itself. Each can be cancelled. */
export function useFileImport(initial: Partial<Target>): FileImport {
  const [uploaded, setUploaded] = useState<Uploaded | null>(null)
  const [file, setFile] = useState<File | null>(null)
  const [format, setFormat] = useState<Format>(() => formatOf('', timeZone.peek()))
  const [preview, setPreview] = useState<Preview | null>(null)
  const [columns, setColumns] = useState<readonly ColumnPlan[]>([])
  const [target, setTarget] = useState<Target>({
    table: '',
    mode: 'create',
    key: [],
    onError: 'abort',
    ...initial,
  })
  const [result, setResult] = useState<ImportResult | null>(null)
  const settling = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const { work, failure, during, cancel } = useSteps(() => clearTimeout(settling.current))
  const read = (of: Uploaded, as: Format): Promise<void> =>
    during('reading', async (following) => {
      const path = { id: of.sourceId, upload: of.id }
      const request = { path, body: formatBody(as) } as Call<PreviewRoute, 'post'>
      const found = await follow('/dataSources/{id}/uploads/{upload}/preview', request, following)
      if (following.signal.aborted) return
      setPreview(found)
      setColumns((former) => columnsOf(found, former))
    })
  return {
    file,
    sourceId: uploaded?.sourceId ?? null,
    format,
    preview,
    columns,
    target,
    work,
    failure,
    result,
    choose: async (next, sourceOf) => {
      const as = { ...format, kind: formatOf(next.name, '').kind }
      let sent: Uploaded | null = null
      setFile(next)
      setPreview(null)
      setResult(null)
      setUploaded(null)
      await during('sending', async ({ signal, onProgress }) => {
        const sourceId = await sourceOf()
        sent = { file: next, sourceId, id: await uploadTo(sourceId, next, { signal, onSent: onProgress }) }
      })
      if (sent === null) return setFile(null)
      setUploaded(sent)
      setFormat(as)
      setColumns([])
      setTarget((now) => (now.table === '' ? { ...now, table: tableNameOf(next.name) } : now))
      await read(sent, as)
    },
    changeFormat: (part) => {
      const next = { ...format, ...part }
      setFormat(next)
      clearTimeout(settling.current)
      if (uploaded) settling.current = setTimeout(() => void read(uploaded, next), SETTLE_MS)
    },
    changeColumns: setColumns,
    changeTarget: (part) => setTarget((now) => ({ ...now, ...part })),
    start: () =>
      during('importing', async (following) => {
        if (!uploaded) return
        const body = importBody({ format, columns, target }, uploaded.id)
        const request = { path: { id: uploaded.sourceId }, body } as Call<'/dataSources/{id}/import', 'post'>
        const made = await follow('/dataSources/{id}/import', request, { ...following, wait: 'PT0S' })
        invalidate(`/dataSources/${uploaded.sourceId}/`)
        setResult(made)
      }),
    cancel: () => {
      cancel()
      if (work?.kind === 'sending') setFile(null)
    },
  }
}

type Following = {
  readonly signal: AbortSignal
  readonly onProgress: (progress: number | null) => void
}
type Steps = Pick<FileImport, 'work' | 'failure' | 'cancel'> & {
  readonly during: (kind: Work['kind'], step: (following: Following) => Promise<void>) => Promise<void>
}

/** Runs one step at a time; a newer step ends the former one.
 * @param onBegin called before each step */
function useSteps(onBegin: () => void): Steps {
  const [work, setWork] = useState<Work | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])
  return {
    work,
    failure,
    during: async (kind, step) => {
      onBegin()
      abort.current?.abort()
      const controller = new AbortController()
      abort.current = controller
      const isCurrent = (): boolean => abort.current === controller
      setFailure(null)
      setWork({ kind, progress: kind === 'sending' ? 0 : null })
      try {
        await step({
          signal: controller.signal,
          onProgress: (progress) => isCurrent() && setWork({ kind, progress }),
        })
      } catch (error) {
        if (isCurrent() && !controller.signal.aborted) setFailure(asFailure(error))
      } finally {
        if (isCurrent()) setWork(null)
      }
    },
    cancel: () => {
      abort.current?.abort()
      abort.current = null
      setWork(null)
    },
  }
}

type PreviewRoute = '/dataSources/{id}/uploads/{upload}/preview'

async function uploadTo(
  sourceId: number,
  file: File,
  { signal, onSent }: { readonly signal: AbortSignal; readonly onSent: (share: number) => void },
): Promise<string> {
  const url = urlOf('/dataSources/{id}/uploads', { path: { id: sourceId } })
  const headers = { 'content-type': 'application/octet-stream' }
  const answer = await sendFile(url, file, { headers, onSent, signal })
  const { id } = (await jsonOf(answer)) as Answer<'/dataSources/{id}/uploads', 'post'>
  return id
}

/** A new set of tables. */
export async function createSet(name: string): Promise<number> {
  const request = { body: { name, type: 'csv' } } as Call<'/dataSources', 'post'>
  const { id } = await call('post', '/dataSources', request)
  invalidate('/dataSources')
  return id
}
