ALTER TABLE `pings` ADD `maker_id` integer;--> statement-breakpoint
ALTER TABLE `status_pages` ADD `title` text;