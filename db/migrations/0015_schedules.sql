ALTER TABLE `schedule_configurations` ADD `last_at` integer;--> statement-breakpoint
ALTER TABLE `schedule_configurations` ADD `last_result` text;