import type { JSX } from 'preact'

import type { Failure } from '../../api/failure.ts'
import { useGet } from '../../api/resource.ts'
import { SelectField, TextField } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { Note } from '../../kit/feedback.tsx'
import { t } from '../../language/t.ts'
import type { Query, QueryDraft } from './query.ts'

type Props = {
  readonly draft: QueryDraft
  readonly change: (part: Partial<QueryDraft>) => void
  readonly failure: Failure | null
  /** The faults of the stored draft. */
  readonly errors: Query['errors']
  readonly onRun: () => void
  readonly onCancel: () => void
}

/** The name, the data source and the text. A text with faults is stored all the same. */
export function EditorCard({ draft, change, failure, errors, onRun, onCancel }: Props): JSX.Element {
  const sources = useGet('/dataSources', {})
  return (
    <Card>
      <div class="pad col spread">
        <div class="form-grid">
          <TextField
            label={t('data.name')}
            value={draft.name}
            onValue={(name) => change({ name })}
            error={failure?.at('/name')}
          />
          <SelectField
            label={t('queries.source')}
            value={draft.dataSourceId}
            onValue={(dataSourceId) => change({ dataSourceId })}
            options={[
              { value: '', text: t('data.choose') },
              ...(sources.data?.items ?? []).map(({ id, name }) => ({ value: String(id), text: name })),
            ]}
          />
          <TextField
            label={t('data.description')}
            value={draft.description}
            onValue={(description) => change({ description })}
          />
        </div>
        <textarea
          class="input mono sql"
          aria-label={t('queries.text')}
          placeholder={'SELECT id, amount\nFROM orders\nWHERE region = ${region}'}
          rows={12}
          wrap="off"
          spellcheck={false}
          value={draft.text}
          onInput={(event) => change({ text: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onRun()
            else if (event.key === 'Escape') onCancel()
          }}
        />
        {errors.map(({ line, message, phase }) => (
          <Note key={`${phase} ${line} ${message}`} kind="warning">
            <b>{line === null ? t('queries.fault') : t('queries.line', { line })}:</b> {message}
            <div>{t('queries.stored')}</div>
          </Note>
        ))}
        <TablesOf sourceId={draft.dataSourceId} />
      </div>
    </Card>
  )
}

/** The tables and columns that the text can name. */
function TablesOf({ sourceId }: { readonly sourceId: string }): JSX.Element | null {
  const columns = useGet(
    '/dataSources/{id}/columns',
    sourceId === '' ? null : { path: { id: Number(sourceId) } },
  )
  if (!columns.data || columns.data.length === 0) return null
  const tables = [...Map.groupBy(columns.data, ({ table }) => table)]
  return (
    <details class="part">
      <summary>{t('queries.tables', { count: tables.length })}</summary>
      <ul class="col">
        {tables.map(([table, own]) => (
          <li key={table}>
            <b>{table}</b> <span class="quiet">{own.map(({ name }) => name).join(', ')}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
