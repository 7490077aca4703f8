ALTER TABLE `alarm_links` ADD `opened_to` text;--> statement-breakpoint
CREATE INDEX `alarm_links_opening` ON `alarm_links` (`id`) WHERE opened_to is not null;