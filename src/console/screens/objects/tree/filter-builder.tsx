import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../../api/client.ts'
import type { Failure } from '../../../api/failure.ts'
import { Button, IconButton, Segments, SelectField } from '../../../kit/controls.tsx'
import { Code } from '../../../kit/data.tsx'
import { FormDialog } from '../../../kit/overlays.tsx'
import { t } from '../../../language/t.ts'
import { ROOT_ID } from './branches.ts'
import { FILTER_ITEMS, takesExpression } from './filter-items.ts'
import { jsonOf, withMode } from './filter.ts'
import type { Condition, Definition } from './filter.ts'

const TYPES = ['', 'group', 'device', 'job', 'slo', 'slc'] as const
const STATES = [
  'major',
  'minor',
  'warning',
  'ok',
  'no_data',
  'undefined',
  'maintenance_major',
  'maintenance_minor',
  'maintenance_warning',
  'maintenance_ok',
] as const
const FIRST: Condition = { item: 'name', operator: 'contains', expression: '' }

type Props = {
  readonly definition: Definition
  readonly onApply: (definition: Definition) => void
  readonly onClose: () => void
}

/** Builds a filter definition and shows it as the API takes it. The API checks it before it is used. */
export function FilterBuilder({ definition, onApply, onClose }: Props): JSX.Element {
  const [draft, setDraft] = useState<Definition>(
    definition.conditions.length > 0 ? definition : { ...definition, conditions: [FIRST] },
  )
  const change = (at: number, condition: Condition | null): void => {
    const next = [...draft.conditions]
    next.splice(at, 1, ...(condition ? [condition] : []))
    setDraft({ ...draft, conditions: next })
  }
  const apply = async (): Promise<void> => {
    const query = { filterDefinition: jsonOf(draft) || '{"conditions":[]}', limit: 1 }
    await call('get', '/groups/{id}/search', { path: { id: ROOT_ID }, query })
    onApply(draft)
  }
  return (
    <FormDialog
      title={t('objects.build')}
      submit={t('objects.apply')}
      onSubmit={apply}
      onClose={onClose}
      wide
    >
      {(failure) => (
        <>
          <div class="row wrap end-aligned">
            <SelectField
              label={t('objects.kind')}
              value={draft.type ?? ''}
              onValue={(type) => setDraft({ ...draft, type: type === '' ? null : type })}
              options={TYPES.map((value) => ({
                value,
                text: value === '' ? t('objects.anyType') : t(`objects.type.${value}`),
              }))}
            />
            <Segments
              label={t('objects.mode')}
              value={draft.mode}
              onChange={(mode) => setDraft(withMode(draft, mode))}
              options={(['and', 'or'] as const).map((value) => ({ value, text: t(`objects.mode.${value}`) }))}
            />
          </div>
          <ol class="col">
            {draft.conditions.map((condition, at) => (
              <ConditionRow
                key={at}
                at={at}
                condition={condition}
                failure={failure}
                onChange={(next) => change(at, next)}
              />
            ))}
          </ol>
          <div>
            <Button
              small
              icon="plus"
              onClick={() => setDraft({ ...draft, conditions: [...draft.conditions, FIRST] })}
            >
              {t('objects.addCondition')}
            </Button>
          </div>
          <Code
            label={t('objects.definition')}
            text={JSON.stringify(JSON.parse(jsonOf(draft) || '{}'), null, 2)}
          />
        </>
      )}
    </FormDialog>
  )
}

type RowProps = {
  readonly at: number
  readonly condition: Condition
  readonly failure: Failure | null
  readonly onChange: (condition: Condition | null) => void
}

function ConditionRow({ at, condition, failure, onChange }: RowProps): JSX.Element {
  const { item, operator } = condition
  const rule = FILTER_ITEMS[item]
  const operators = rule?.operators ?? [operator]
  const fields = ['item', 'operator', 'expression', 'propertyKey', 'value']
  const refusals = fields.flatMap((field) => failure?.at(`?filterDefinition/conditions/${at}/${field}`) ?? [])
  const number = at + 1
  return (
    <li class="row wrap condition">
      <Choice
        label={t('objects.conditionItem', { number })}
        value={item}
        options={Object.keys(FILTER_ITEMS).map((value) => [value, t(`objects.item.${value}`)] as const)}
        onValue={(next) => onChange(conditionOf(next, FILTER_ITEMS[next]?.operators[0] ?? 'eq'))}
      />
      {rule?.names && (
        <Text
          label={t(`objects.condition.${rule.names}`, { number })}
          value={condition[rule.names] ?? ''}
          onValue={(value) => onChange({ ...condition, [rule.names as string]: value })}
        />
      )}
      <Choice
        label={t('objects.conditionOperator', { number })}
        value={operator}
        options={operators.map((value) => [value, t(`objects.operator.${value}`)] as const)}
        onValue={(value) => onChange(withOperator(condition, value))}
      />
      {takesExpression(operator) && <Expression at={at} condition={condition} onChange={onChange} />}
      <IconButton
        icon="close"
        label={t('objects.removeCondition', { number })}
        onClick={() => onChange(null)}
      />
      {refusals.length > 0 && (
        <span class="refusals" role="alert">
          {refusals.join(' ')}
        </span>
      )}
    </li>
  )
}

function Expression({ at, condition, onChange }: Omit<RowProps, 'failure'>): JSX.Element {
  const label = t('objects.conditionExpression', { number: at + 1 })
  const value = condition.expression ?? ''
  const onValue = (expression: string): void => onChange({ ...condition, expression })
  const choices = FILTER_ITEMS[condition.item]?.choices
  if (choices === undefined) return <Text label={label} value={value} onValue={onValue} />
  const options =
    choices === 'states'
      ? STATES.map((state) => [state, t(`state.${state}`)] as const)
      : TYPES.slice(1).map((type) => [type, t(`objects.type.${type}`)] as const)
  return <Choice label={label} value={value} options={options} onValue={onValue} />
}

/** A new condition on an item, with the first choice where there are choices. */
function conditionOf(item: string, operator: string): Condition {
  const choices = FILTER_ITEMS[item]?.choices
  const first = { states: STATES[0], types: 'job' }[choices ?? 'states']
  if (!takesExpression(operator)) return { item, operator }
  return { item, operator, expression: choices === undefined ? '' : first }
}

function withOperator({ expression, ...rest }: Condition, operator: string): Condition {
  return takesExpression(operator)
    ? { ...rest, operator, expression: expression ?? '' }
    : { ...rest, operator }
}

type ControlProps = {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
}

function Text({ label, value, onValue }: ControlProps): JSX.Element {
  return (
    <input
      class="input"
      aria-label={label}
      value={value}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  )
}

function Choice({
  label,
  value,
  options,
  onValue,
}: ControlProps & { readonly options: readonly (readonly [value: string, text: string])[] }): JSX.Element {
  return (
    <select
      class="input"
      aria-label={label}
      value={value}
      onChange={(event) => onValue(event.currentTarget.value)}
    >
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  )
}
