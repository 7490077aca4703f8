ALTER TABLE `sessions` ADD `bounds` text;--> statement-breakpoint
ALTER TABLE `runs` ADD `report_to` integer;--> statement-breakpoint
ALTER TABLE `runs` ADD `report_state` text;--> statement-breakpoint
CREATE INDEX `runs_to_report` ON `runs` (`id`) WHERE report_state = 'due';--> statement-breakpoint
ALTER TABLE `run_configurations` ADD `changed_by` integer;--> statement-breakpoint
ALTER TABLE `run_configurations` ADD `changed_role` text;--> statement-breakpoint
ALTER TABLE `scripts` ADD `changed_by` integer;--> statement-breakpoint
ALTER TABLE `scripts` ADD `changed_role` text;--> statement-breakpoint
UPDATE `scripts` SET `changed_by` = (
  SELECT `user_id` FROM `audit` WHERE `user_id` <> 0 AND (
    (`object_type` = 'script file' AND `object_id` LIKE `scripts`.`id` || '/%')
    OR (`object_type` = 'script' AND `action` = 'import' AND `object_id` = CAST(`scripts`.`id` AS text)))
  ORDER BY `audit`.`id` DESC LIMIT 1);--> statement-breakpoint
UPDATE `run_configurations` SET `changed_by` = (
  SELECT `user_id` FROM `audit` WHERE `user_id` <> 0 AND `object_type` = 'run configuration'
    AND `object_id` = CAST(`run_configurations`.`id` AS text)
  ORDER BY `audit`.`id` DESC LIMIT 1);--> statement-breakpoint
UPDATE `scripts` SET `changed_role` = (SELECT `role` FROM `users` WHERE `users`.`id` = `scripts`.`changed_by`);--> statement-breakpoint
UPDATE `run_configurations` SET `changed_role` = (SELECT `role` FROM `users` WHERE `users`.`id` = `run_configurations`.`changed_by`);
