export { actOnAlarms, assignAlarm, commentOnAlarm } from './service/acting.ts'
export { bodyOf, listAlarms, readAlarm } from './service/listing.ts'
export { readLinks, replaceLinks } from './service/links.ts'
