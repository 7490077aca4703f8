import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { call, callVersioned } from '../../api/client.ts'
import type { Failure } from '../../api/failure.ts'
import { isUnread, useGet } from '../../api/resource.ts'
import { background } from '../../kit/background.ts'
import { Button, SelectField, TextField } from '../../kit/controls.tsx'
import { Card, Code } from '../../kit/data.tsx'
import { Skeleton } from '../../kit/feedback.tsx'
import { EditForm, useEditing } from '../../kit/editing.tsx'
import type { Version } from '../../kit/versions.ts'
import { loadWords, t } from '../../language/t.ts'
import { FilterBuilder } from '../objects/tree/filter-builder.tsx'
import { NO_FILTER } from '../objects/tree/filter.ts'
import type { Definition } from '../objects/tree/filter.ts'
import { words as objectWords } from '../objects/words.ts'
import { levelsChanged } from './changed.ts'
import { CommonFields, ObjectById, PropertyFields } from './common-fields.tsx'
import { membersCounted } from './member.ts'
import { RuleForm } from './rule-form.tsx'
import type { Slo } from './rules.ts'
import { sloDraftOf, sloFault, sloPatchOf, sloText } from './slo-draft.ts'
import type { Filter, SloDraft } from './slo-draft.ts'

const SUB_TYPES = [
  'standard',
  'top',
  'application',
  'application_step',
  'business',
  'customer',
  'device',
  'function',
  'infrastructure',
  'it',
  'process',
  'process_step',
  'process_task',
] as const
const SORTS = ['link', 'name', 'state'] as const

/** The configuration of a service as a form. */
export function ServiceConfig({ object, etag }: Version<Slo>): JSX.Element {
  const { id, name, permissions } = object
  const members = useGet('/{parentType}/{parentId}/children', { path: { parentType: 'slo', parentId: id } }, [
    'state',
  ])
  const editing = useEditing({ object, etag }, { draftOf: sloDraftOf, send, read: () => readVersion(id) })
  const { draft, failure, change } = editing
  const kinds = SUB_TYPES.some((one) => one === draft.subType) ? SUB_TYPES : [...SUB_TYPES, draft.subType]
  return (
    <EditForm
      editing={editing}
      missing={permissions.write ? undefined : t('levels.needsWrite', { name })}
      refused={permissions.write ? sloFault(draft) : undefined}
      fieldText={(field) => t(`levels.field.${field}`)}
      valueText={sloText}
    >
      <CommonFields draft={draft} failure={failure} onChange={change}>
        <SelectField
          label={t('levels.field.subType')}
          value={draft.subType}
          onValue={(subType) => change({ subType })}
          error={failure?.at('/subType')}
          options={kinds.map((value) => ({ value, text: kindText(value) }))}
        />
      </CommonFields>
      {isUnread(members) ? (
        <Skeleton lines={6} />
      ) : (
        <RuleForm
          draft={draft}
          failure={failure}
          members={membersCounted(members.data?.items ?? [])}
          onChange={change}
        />
      )}
      <MoneyFields draft={draft} failure={failure} onChange={change} />
      <FilterFields draft={draft} failure={failure} onChange={change} />
      <PropertyFields draft={draft} failure={failure} onChange={change} />
    </EditForm>
  )
}

function kindText(subType: string): string {
  return SUB_TYPES.some((one) => one === subType) ? t(`levels.kind.${subType}`) : subType
}

type Props = {
  readonly draft: SloDraft
  readonly failure: Failure | null
  readonly onChange: (part: Partial<SloDraft>) => void
}

function MoneyFields({ draft, failure, onChange }: Props): JSX.Element {
  return (
    <Card title={t('levels.money')} note={t('levels.moneyNote')}>
      <div class="pad formgrid">
        <TextField
          label={t('levels.costPerMin')}
          inputMode="decimal"
          value={draft.costsPerMin}
          onValue={(costsPerMin) => onChange({ costsPerMin })}
          error={failure?.at('/parameters/costsPerMin')}
        />
        <TextField
          label={t('levels.field.currency')}
          hint={t('levels.currencyHint')}
          value={draft.currency}
          maxLength={3}
          onValue={(currency) => onChange({ currency })}
          error={failure?.at('/parameters/currency')}
        />
        <TextField
          label={t('levels.field.riskFactor')}
          hint={t('levels.riskHint')}
          inputMode="decimal"
          value={draft.riskFactor}
          onValue={(riskFactor) => onChange({ riskFactor })}
          error={failure?.at('/parameters/riskFactor')}
        />
      </div>
    </Card>
  )
}

/** The device of a service, the order of its members, and the filter that adds members. */
function FilterFields({ draft, failure, onChange }: Props): JSX.Element {
  const { childrenFilter: filter } = draft
  const [isBuilding, setBuilding] = useState(false)
  useEffect(() => background(loadWords(objectWords)), [])
  return (
    <Card title={t('levels.memberChoice')}>
      <div class="pad formgrid">
        <ObjectById
          label={t('levels.field.deviceId')}
          type="device"
          id={draft.deviceId}
          onChange={(deviceId) => onChange({ deviceId })}
          error={failure?.at('/deviceId')}
        />
        {draft.deviceId !== 0 && (
          <div>
            <Button small icon="close" onClick={() => onChange({ deviceId: 0 })}>
              {t('levels.noDevice')}
            </Button>
          </div>
        )}
        <SelectField
          label={t('levels.field.sortMode')}
          value={draft.sortMode}
          onValue={(sortMode) => onChange({ sortMode })}
          options={SORTS.map((value) => ({ value, text: t(`levels.sort.${value}`) }))}
        />
      </div>
      <div class="pad col">
        <p class="quiet">{t('levels.filterText')}</p>
        {filter && (
          <>
            <ObjectById
              label={t('levels.filterGroup')}
              type="group"
              id={filter.groupId}
              onChange={(groupId) => onChange({ childrenFilter: { ...filter, groupId } })}
              error={failure?.at('/childrenFilter/groupId')}
            />
            <Code
              label={t('levels.field.childrenFilter')}
              text={JSON.stringify(filter.filterDefinition, null, 2)}
            />
          </>
        )}
        <div class="row wrap">
          <Button small icon="filter" onClick={() => setBuilding(true)}>
            {t(filter ? 'levels.changeFilter' : 'levels.addFilter')}
          </Button>
          {filter && (
            <Button small icon="close" onClick={() => onChange({ childrenFilter: null })}>
              {t('levels.removeFilter')}
            </Button>
          )}
        </div>
      </div>
      {isBuilding && (
        <FilterBuilder
          definition={(filter?.filterDefinition as Definition | undefined) ?? NO_FILTER}
          onApply={(definition) => {
            onChange({
              childrenFilter: {
                groupId: filter?.groupId ?? 1,
                filterDefinition: definition as unknown as Filter['filterDefinition'],
              },
            })
          }}
          onClose={() => setBuilding(false)}
        />
      )}
    </Card>
  )
}

async function send({ object, etag }: Version<Slo>, draft: SloDraft): Promise<Version<Slo>> {
  const body = sloPatchOf(object, draft)
  await call('patch', '/slos/{id}', { path: { id: object.id }, body, ifMatch: etag })
  levelsChanged()
  return readVersion(object.id)
}

async function readVersion(id: number): Promise<Version<Slo>> {
  const { data, etag } = await callVersioned('get', '/slos/{id}', { path: { id } })
  return { object: data, etag }
}
