import { Bound, conditionOn, SIGNS } from '../../tree/search/service.ts'
import type { AlarmCondition, AlarmFilter, AlarmTest } from '../filter.ts'

/** The `begin` of a query on `alarms a` and `objects o`: the filter as SQL conditions that must all hold. */
export function beginWith(filter: AlarmFilter | null) {
  const values = new Bound()
  return { values, conditions: filter ? conditionsOf(filter, values) : [] }
}

function conditionsOf({ type, mode, conditions }: AlarmFilter, bound: Bound): readonly string[] {
  const each = conditions.map((condition) => `(${conditionSql(condition, bound)})`)
  return [
    ...(type === null ? [] : [`+o.type = ${bound.add(type)}`]),
    ...(each.length === 0 ? [] : [`(${each.join(` ${mode} `)})`]),
  ]
}

function conditionSql(condition: AlarmCondition, bound: Bound): string {
  return condition.of === 'object' ? conditionOn(condition.condition, bound) : alarmSql(condition.test, bound)
}

function alarmSql(test: AlarmTest, bound: Bound): string {
  switch (test.kind) {
    case 'severity':
      return `+a.state in (select value from json_each(${bound.add(JSON.stringify(test.levels))}))`
    case 'assigned':
      return `(+a.assignee_id is not null) = ${test.isAssigned ? 1 : 0}`
    case 'assignee':
      return `coalesce(+a.assignee_id, 0) ${SIGNS[test.relation]} ${bound.add(test.number)}`
    case 'id':
      return `+a.id ${SIGNS[test.relation]} ${bound.add(test.number)}`
    case 'opened':
      return `+a.begin_at ${SIGNS[test.relation]} ${bound.add(test.number)}`
  }
}
