ALTER TABLE `alarm_recipients` ADD `user_id` integer;--> statement-breakpoint
ALTER TABLE `alarm_recipients` ADD `user_group_id` integer;