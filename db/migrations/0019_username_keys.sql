ALTER TABLE `users` ADD `username_key` text;--> statement-breakpoint
UPDATE `users` SET `username_key` = lower(`username`)
WHERE `id` = (SELECT min(`other`.`id`) FROM `users` `other` WHERE lower(`other`.`username`) = lower(`users`.`username`));--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_key_unique` ON `users` (`username_key`);
