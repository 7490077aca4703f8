import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call, jsonOf, send, urlOf } from '../../../api/client.ts'
import { Field } from '../../../kit/controls.tsx'
import { FormDialog } from '../../../kit/overlays.tsx'
import { t } from '../../../language/t.ts'
import type { Values, WidgetOf } from '../dashboard.ts'
import type { OrderedRun } from '../latest-run.ts'

const ROUTE = '/dashboards/{id}/widgets/{widget}/run'

/** Orders a run of the script of a widget. A repeated request is the same run. */
export async function orderRun(
  { dashboardId, widgetId }: { readonly dashboardId: number; readonly widgetId: string },
  params: Values,
  files: readonly File[],
): Promise<OrderedRun> {
  const path = { id: String(dashboardId), widget: widgetId }
  const headers = { 'idempotency-key': crypto.randomUUID() }
  if (files.length === 0) return call('post', ROUTE, { path, headers, body: { params: { ...params } } })
  const body = new FormData()
  body.append('params', JSON.stringify(params))
  for (const file of files) body.append('file', file)
  return (await jsonOf(await send('POST', urlOf(ROUTE, { path }), { headers, body }))) as OrderedRun
}

/** The question before a run, and the files that come with it. */
export function ScriptDialog({
  title,
  widget: { confirm, upload },
  onRun,
  onClose,
}: {
  readonly title: string
  readonly widget: WidgetOf<'script'>
  readonly onRun: (files: readonly File[]) => Promise<void>
  readonly onClose: () => void
}): JSX.Element {
  const [files, setFiles] = useState<readonly File[]>([])
  const most = upload?.maxFiles ?? 0
  const refused = files.length > most ? t('boards.filesMax', { count: most }) : undefined
  return (
    <FormDialog
      title={title}
      submit={t('boards.run')}
      refused={refused}
      onSubmit={() => onRun(files)}
      onClose={onClose}
    >
      {(failure) => (
        <>
          {confirm !== '' && <p>{confirm}</p>}
          {upload && (
            <Field
              label={t('boards.files')}
              hint={t('boards.filesHint', { count: most, types: upload.accept.join(', ') })}
              error={refused ?? failure?.at('/file')}
            >
              {(attributes) => (
                <input
                  class="input"
                  type="file"
                  multiple={most > 1}
                  accept={upload.accept.join(',')}
                  onChange={(event) => setFiles([...(event.currentTarget.files ?? [])])}
                  {...attributes}
                />
              )}
            </Field>
          )}
        </>
      )}
    </FormDialog>
  )
}
