import type { JSX } from 'preact'

import { useGet } from '../../api/resource.ts'
import { Button, Check, Chip, Field, Segments, SelectField, TextField } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { t } from '../../language/t.ts'
import { MODES, refusalOf } from './import-plan.ts'
import type { Preview } from './import-plan.ts'
import type { FileImport } from './use-file-import.ts'

type Props = { readonly plan: FileImport; readonly preview: Preview; readonly sourceId: number }

/** The table that gets the rows, and the button that imports them. */
export function TargetCard({ plan, preview, sourceId }: Props): JSX.Element {
  const { target, changeTarget, work } = plan
  const stored = useGet('/dataSources/{id}/tables', { path: { id: sourceId } })
  const tables = (stored.data ?? []).map(({ name }) => name)
  const refusal = refusalOf(plan, tables)
  const modes = tables.length === 0 ? MODES.slice(0, 1) : MODES
  return (
    <Card title={t('data.target')}>
      <div class="pad col spread">
        <Field label={t('data.mode')} hint={t(`data.modeText.${target.mode}`)}>
          {() => (
            <div>
              <Segments
                label={t('data.mode')}
                value={target.mode}
                onChange={(mode) => changeTarget({ mode, ...tableFor(mode, target.table, tables) })}
                options={modes.map((value) => ({ value, text: t(`data.mode.${value}`) }))}
              />
            </div>
          )}
        </Field>
        <div class="form-grid">
          {target.mode === 'create' ? (
            <TextField
              label={t('data.tableName')}
              value={target.table}
              onValue={(table) => changeTarget({ table })}
            />
          ) : (
            <SelectField
              label={t('data.table')}
              value={target.table}
              onValue={(table) => changeTarget({ table })}
              options={tables.map((value) => ({ value, text: value }))}
            />
          )}
        </div>
        {target.mode === 'upsert' && <Keys plan={plan} />}
        <Check
          label={t('data.skipFaults')}
          checked={target.onError === 'skip'}
          onChange={(on) => changeTarget({ onError: on ? 'skip' : 'abort' })}
        />
        <div class="row wrap">
          <Button
            kind="primary"
            busy={work !== null}
            refused={refusal === null ? undefined : t(refusal)}
            action={() => plan.start()}
          >
            {t('data.importRecords', { count: preview.records })}
          </Button>
          {refusal !== null && <span class="label">{t(refusal)}</span>}
        </div>
      </div>
    </Card>
  )
}

/** A mode that is about a table that is there begins with one. */
function tableFor(mode: string, table: string, tables: readonly string[]): { readonly table?: string } {
  if (mode === 'create' || tables.includes(table)) return {}
  return { table: tables[0] ?? '' }
}

function Keys({ plan: { columns, target, changeTarget } }: { readonly plan: FileImport }): JSX.Element {
  return (
    <fieldset>
      <legend>{t('data.key')}</legend>
      <p class="label">{t('data.keyHint')}</p>
      <div class="row wrap">
        {columns
          .filter(({ isUsed }) => isUsed)
          .map(({ name }) => (
            <Chip
              key={name}
              pressed={target.key.includes(name)}
              onChange={(on) =>
                changeTarget({ key: on ? [...target.key, name] : target.key.filter((one) => one !== name) })
              }
            >
              {name}
            </Chip>
          ))}
      </div>
    </fieldset>
  )
}
