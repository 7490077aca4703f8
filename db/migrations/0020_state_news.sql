DROP INDEX `states_unalarmed`;--> statement-breakpoint
ALTER TABLE `states` ADD `news` text;--> statement-breakpoint
CREATE INDEX `states_unalarmed` ON `states` (`object_id`) WHERE alarmed_seq < seq or alarmed_flapping <> flapping or news is not null;