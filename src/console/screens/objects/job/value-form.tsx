import type { JSX } from 'preact'

import type { Failure } from '../../../api/failure.ts'
import { Button, IconButton } from '../../../kit/controls.tsx'
import { Card } from '../../../kit/data.tsx'
import { Icon } from '../../../kit/icons.tsx'
import { t } from '../../../language/t.ts'
import type { Draft, ValueRow } from './draft.ts'

type FormProps = {
  readonly draft: Draft
  readonly failure: Failure | null
  readonly onChange: (part: Partial<Draft>) => void
}
type Kind = 'numbers' | 'texts'
const KEYS: Readonly<Record<Kind, string>> = { numbers: 'returnValue', texts: 'stringValue' }
const EMPTY: Readonly<Record<Kind, ValueRow>> = {
  numbers: { name: '', unit: '', divisor: '1', precision: '', description: '' },
  texts: { name: '', unit: '', divisor: '', precision: '', description: '' },
}
const FIELDS: readonly { readonly field: keyof ValueRow; readonly member: string }[] = [
  { field: 'name', member: 'valueName' },
  { field: 'unit', member: 'valueUnit' },
  { field: 'divisor', member: 'valueDivisor' },
  { field: 'precision', member: 'valuePrecision' },
  { field: 'description', member: 'valueDescription' },
]

/** The values of the job. Keys count up, so that only the last row of a kind can be removed. */
export function ValueForm({ draft, failure, onChange }: FormProps): JSX.Element {
  const add = (kind: Kind): void => onChange({ [kind]: [...draft[kind], EMPTY[kind]] })
  return (
    <Card
      title={t('job.config.values')}
      actions={
        <>
          <Button small icon="plus" onClick={() => add('numbers')}>
            {t('job.config.addNumber')}
          </Button>
          <Button small icon="plus" onClick={() => add('texts')}>
            {t('job.config.addText')}
          </Button>
        </>
      }
    >
      <div class="scroll-x" tabIndex={0} role="region" aria-label={t('job.config.valuesTable')}>
        <table class="table edit">
          <thead>
            <tr>
              <th scope="col">{t('job.config.key')}</th>
              {FIELDS.map(({ field }) => (
                <th key={field} scope="col">
                  {t(`job.config.value.${field}`)}
                </th>
              ))}
              <th scope="col">
                <span class="vh">{t('job.config.remove')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {(['numbers', 'texts'] as const).flatMap((kind) =>
              draft[kind].map((row, index) => (
                <Row
                  key={`${kind}${index}`}
                  {...{ kind, row, index, failure }}
                  isLast={index === draft[kind].length - 1}
                  onRow={(next) =>
                    onChange({
                      [kind]:
                        next === null
                          ? draft[kind].slice(0, -1)
                          : draft[kind].map((one, at) => (at === index ? next : one)),
                    })
                  }
                />
              )),
            )}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

function Row({
  kind,
  row,
  index,
  failure,
  isLast,
  onRow,
}: {
  readonly kind: Kind
  readonly row: ValueRow
  readonly index: number
  readonly failure: Failure | null
  readonly isLast: boolean
  readonly onRow: (row: ValueRow | null) => void
}): JSX.Element {
  const key = `${KEYS[kind]}${index + 1}`
  return (
    <tr>
      <td>
        <code>{key}</code>
      </td>
      {FIELDS.map(({ field, member }) => {
        const error = failure?.at(`/parameters/${KEYS[kind]}/${index}/${member}`)
        if (kind === 'texts' && (field === 'divisor' || field === 'precision'))
          return (
            <td key={field} class="hide-s">
              –
            </td>
          )
        return (
          <td key={field} class={`cell-${field}`} data-title={t(`job.config.value.${field}`)}>
            <input
              class="input"
              aria-label={`${t(`job.config.value.${field}`)}, ${key}`}
              value={row[field]}
              {...(error === undefined ? {} : { 'aria-invalid': true, title: error })}
              onInput={(event) => onRow({ ...row, [field]: event.currentTarget.value })}
            />
            {error !== undefined && (
              <span class="err">
                <Icon name="info" />
                {error}
              </span>
            )}
          </td>
        )
      })}
      <td>
        {isLast && (
          <IconButton
            small
            icon="close"
            label={t('job.config.removeKey', { key })}
            onClick={() => onRow(null)}
          />
        )}
      </td>
    </tr>
  )
}
