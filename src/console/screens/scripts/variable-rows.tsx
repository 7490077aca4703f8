import type { JSX } from 'preact'

import type { Failure } from '../../api/failure.ts'
import { Button, Check, IconButton, TextField } from '../../kit/controls.tsx'
import { t } from '../../language/t.ts'
import type { VariableRow } from './configuration.ts'

const EMPTY: VariableRow = { key: '', text: '', isSecret: false, isSet: false }

type Props = {
  readonly rows: readonly VariableRow[]
  readonly failure: Failure | null
  readonly onChange: (rows: readonly VariableRow[]) => void
}

/** The variables of a run configuration. The value of a secret is never shown: an empty field keeps it. */
export function VariableRows({ rows, failure, onChange }: Props): JSX.Element {
  const change = (at: number, part: Partial<VariableRow>): void =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...part } : row)))
  return (
    <fieldset class="col">
      <legend>{t('scripts.variables')}</legend>
      {rows.map((row, at) => (
        <div key={at} class="variable">
          <TextField
            label={t('scripts.variable')}
            value={row.key}
            onValue={(key) => change(at, { key })}
            error={failure?.at(`/envVariables/${at}/key`) ?? failure?.at(`/envVariables/${at}`)}
            spellcheck={false}
            autocomplete="off"
          />
          <TextField
            label={t('scripts.value')}
            type={row.isSecret ? 'password' : 'text'}
            value={row.text}
            onValue={(text) => change(at, { text })}
            placeholder={placeholderOf(row)}
            error={failure?.at(`/envVariables/${at}/value`)}
            spellcheck={false}
            autocomplete={row.isSecret ? 'new-password' : 'off'}
          />
          <Check
            label={t('scripts.secret')}
            checked={row.isSecret}
            onChange={(isSecret) => change(at, { isSecret })}
          />
          <IconButton
            small
            icon="close"
            label={t('scripts.removeVariable', { name: row.key })}
            onClick={() => onChange(rows.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <span>
        <Button small icon="plus" onClick={() => onChange([...rows, EMPTY])}>
          {t('scripts.addVariable')}
        </Button>
      </span>
    </fieldset>
  )
}

function placeholderOf({ isSecret, isSet }: VariableRow): string {
  if (!isSecret) return ''
  return t(isSet ? 'scripts.secretSet' : 'scripts.secretUnset')
}
