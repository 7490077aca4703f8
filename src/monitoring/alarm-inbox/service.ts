export { actOnAlarms, assignAlarm, commentOnAlarm } from './service/actions.ts'
export { bodyOf, listAlarms, readAlarm } from './service/list.ts'
export { readLinks, replaceLinks } from './service/links.ts'
export { readTrend } from './service/trend.ts'
